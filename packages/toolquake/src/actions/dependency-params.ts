/** The parameters that blocking and slowing a dependency have in common, and how they are checked. */
import { pathText, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { readSettings, settingReader } from '../config/field.js';
import type { SettingFields } from '../core/setting-field.js';

/** The word that stands for: I know that this hits every process of this host. */
export const CONSENT = 'hits-every-process-of-this-host';

/** Whom it is cut off from what. */
export const DEPENDENCY_FIELDS = {
  host: {
    kind: 'text',
    about: 'Where the server reaches its dependency: an address, or a name that is looked up once, before anything is changed.',
    isRequired: true,
    pattern: /^(?=.{1,253}$)[A-Za-z0-9:](?:[A-Za-z0-9.:-]*[A-Za-z0-9:])?$/,
    likeThis: '127.0.0.1',
  },
  port: { kind: 'whole', about: 'The TCP port of the dependency.', isRequired: true, min: 1, max: 65_535 },
  namespace: { kind: 'value', about: 'The network namespace of the server: its name, or the pid of a process in it.' },
  user: {
    kind: 'text',
    about: 'Only what processes of this user send: a name, or a number.',
    pattern: /^[a-z0-9_][a-z0-9_-]{0,31}$/,
    likeThis: 'shop',
  },
  scope: { kind: 'word', about: 'Without namespace and user: every process of this host.', words: ['host'] },
  consent: { kind: 'word', about: 'What scope: host needs besides.', words: [CONSENT] },
  admin: {
    kind: 'text',
    about: 'For via relay: the admin address that "toolquake proxy tcp" printed; the server is configured to go through it.',
    pattern: /^https?:\/\/(?:[A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:]{2,45}\])(?::\d{1,5})?\/?$/,
    likeThis: 'http://127.0.0.1:9901',
  },
  tokenVariable: {
    kind: 'text',
    about: 'The variable of the environment that holds the token of admin; TOOLQUAKE_ADMIN_TOKEN unless told otherwise.',
    pattern: /^(?:[A-Z][A-Z0-9_]{0,57}_)?TOKEN$/,
    likeThis: 'TOOLQUAKE_ADMIN_TOKEN',
  },
} as const satisfies SettingFields;

/** Who is hit, and where. */
export type DependencyParams = {
  readonly host: string;
  readonly port: number;
  /** A name, or a pid in digits. */
  readonly namespace: string | undefined;
  readonly user: string | undefined;
  readonly isHostWide: boolean;
  readonly admin: string | undefined;
  readonly tokenVariable: string;
};

/** Parameters that fit their fields. Throws one error that lists everything that is wrong, before anything is looked at. */
export function readParams(action: string, params: JsonObject, fields: SettingFields): Readonly<Record<string, unknown>> {
  const reader = settingReader();
  const read = readSettings(reader, params, ['params'], fields);
  const [first] = reader.problems;
  if (first === undefined) return read;
  throw new ToolquakeError(first.code, {
    message: reader.problems.map(({ path, message }) => `${action}: ${message || pathText(path)}`).join('\n'),
    advice: first.advice,
  });
}

/** What both actions have in common, out of what `readParams` read. Throws where it names nobody, or too many. */
export function dependencyParams(action: string, read: Readonly<Record<string, unknown>>): DependencyParams {
  const namespace = namespaceText(action, read['namespace']);
  // The fields have these types, which the reader checked.
  const { host, port, user, scope, consent, admin, tokenVariable } = read as { host: string; port: number } & Record<
    string,
    string | undefined
  >;
  const isRelay = read['via'] === 'relay';
  const hasSomebody = namespace !== undefined || user !== undefined;
  if (isRelay) {
    if (admin === undefined)
      throw wrong(`${action}: via relay needs "admin".`, 'Start "toolquake proxy tcp --admin-port PORT" and let the server go through it.');
    if (hasSomebody || scope !== undefined)
      throw wrong(`${action}: via relay hits whoever goes through the relay: namespace, user and scope have no meaning there.`);
  } else if (!hasSomebody) {
    if (scope === undefined)
      throw wrong(
        `${action} must be told whom to hit.`,
        'Give namespace, user, or via: relay with admin; scope: host hits every process of this host.',
      );
    if (consent !== CONSENT)
      throw wrong(`${action}: scope: host cuts every process of this host off.`, `If that is what you want, write consent: ${CONSENT}`);
  } else if (scope !== undefined) throw wrong(`${action}: scope: host contradicts namespace and user.`);
  return { host, port, namespace, user, isHostWide: scope === 'host', admin, tokenVariable: tokenVariable ?? 'TOOLQUAKE_ADMIN_TOKEN' };
}

function namespaceText(action: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return String(value);
  if (typeof value === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(value)) return value;
  throw wrong(`${action}: params.namespace must be a name as "ip netns list" shows it, or the pid of a process in it.`);
}

const wrong = (message: string, advice?: string): ToolquakeError => new ToolquakeError('BAD_ARGUMENT', { message, advice });
