/** Finds rules that are well-formed and yet can never do anything: better an error now than a run that proves nothing. */
import type { PlanPath, ValueReader } from './check-value.js';
import { TRANSPORT_CARRIERS, whyNotOn, type TransportName } from './fault.js';
import { isGlob } from './match.js';
import { COMMAND_METHOD } from './message.js';
import type { At, Limits, Point, Rule } from './plan.js';

/** Reports what makes an enabled rule pointless or impossible. */
export function checkSense(
  reader: ValueReader,
  rule: Rule,
  path: PlanPath,
  world: { limits: Limits; transport: TransportName | undefined },
): void {
  const never = (key: string, why: string, advice?: string): void => {
    const where = key === '' ? path : [...path, ...key.split('.')];
    reader.report(where, 'NEVER_MATCHES', `Rule "${rule.id}" can never match: ${why}.`, advice);
  };
  if (world.transport === 'tcp') checkStreamSense(rule, never);
  checkWhenSense(rule, never);
  checkMethods(reader, rule, path);
  // Checked against the fault's own specs before.
  const pointless = rule.fault.whyPointless?.(rule.params as Readonly<Record<string, never>>);
  if (pointless !== undefined) never('params', pointless);
  const why = whyNever(rule.at, world.limits);
  if (why !== undefined) never('at', why);
  if (rule.probability === 0) never('probability', 'its probability is 0', 'To keep a rule without using it, write "enabled: false".');
  const { shape } = rule;
  if ((shape.kind === 'burst' || shape.kind === 'episode') && shape.rate === 0)
    never(`shape.${shape.kind}.rate`, `the rate of its ${shape.kind} is 0`);
  if (shape.kind === 'ramp' && shape.from === 0 && shape.to === 0) never('shape.ramp', 'its ramp goes from 0 to 0');
  checkPairing(reader, rule, path, world.transport);
}

type Never = (key: string, why: string, advice?: string) => void;

/** Bytes of a stream belong to no message, so nothing that only a message has can be asked of them. */
function checkStreamSense({ when, at, fault }: Rule, never: Never): void {
  // New connections are asked for these on every transport.
  if (fault.trigger !== 'connect') {
    for (const key of ['tool', 'method', 'direction', 'args', 'era'] as const) {
      if (when[key] === undefined) continue;
      const advice = key === 'direction' ? 'Write "phase: pre" for bytes to the server, "phase: post" for bytes to the client.' : undefined;
      never(`when.${key}`, `tcp carries bytes, which have no ${key}`, advice ?? 'Use when.target, or leave it out.');
    }
  }
  if (at.until === 'recovered') never('at.until', 'tcp carries bytes, and no answer shows that a server recovered');
  if (at.oncePer === 'args' || at.oncePer === 'tool') never('at.oncePer', `tcp carries bytes, which have no ${at.oncePer}`);
}

/** Requests and notifications that only one side ever sends. */
const ONLY_TO_SERVER =
  /^(tools|resources|prompts|completion|logging|server)\/|^initialize$|^notifications\/(initialized|roots\/list_changed)$/;
const ONLY_TO_CLIENT =
  /^(sampling|elicitation)\/|^roots\/list$|^notifications\/(message|(tools|prompts|resources)\/(list_changed|updated))$/;

function checkWhenSense({ when, fault, phase }: Rule, never: Never): void {
  const { tool, method, session, target, args, era } = when;
  for (const [key, names] of Object.entries({ tool, method, session, target })) {
    if (names?.length === 0) never(`when.${key}`, `its when.${key} is an empty list`, 'Leave the key out to match everything.');
  }
  if (fault.trigger === 'connect') {
    for (const key of ['tool', 'method', 'direction', 'args'] as const) {
      if (when[key] === undefined) continue;
      never(
        `when.${key}`,
        `${fault.type} acts on new connections, which have no ${key} yet`,
        'Use when.session or when.target, or leave it out.',
      );
    }
    return;
  }
  const methods = method ?? fault.methods;
  if (methods.length === 0) return;
  const direction = when.direction ?? fault.direction;
  const [wrong, other] = direction === 'to-server' ? [ONLY_TO_CLIENT, 'to-client'] : [ONLY_TO_SERVER, 'to-server'];
  if (direction !== 'either' && methods.every((one) => wrong.test(one))) {
    const key = when.direction === undefined ? 'when.method' : 'when.direction';
    never(key, `${methods.join(', ')} never travels ${direction}`, `Write: direction: ${other}`);
  }
  if (phase === 'post' && methods.every((one) => one.startsWith('notifications/')))
    never(
      'when.method',
      'its phase is post, and a notification has no answer',
      fault.phases.includes('pre') ? 'Write: phase: pre' : undefined,
    );
  const sees = (names: readonly string[]): boolean => methods.some((one) => isGlob(one) || names.includes(one));
  if (tool !== undefined && method !== undefined && !sees(['tools/call', 'tools/list', COMMAND_METHOD]))
    never('when.tool', `${methods.join(', ')} names no tool`);
  if (args !== undefined && !sees(['tools/call', 'prompts/get', COMMAND_METHOD]))
    never('when.args', `${methods.join(', ')} has no arguments`);
  const gone = era === 'modern' ? 'initialize' : era === 'legacy' ? 'server/discover' : undefined;
  if (gone !== undefined && methods.every((one) => one === gone)) never('when.era', `there is no ${gone} in the ${era} era`);
}

/** Methods that the fault has nothing to say to. Wildcards were narrowed to what they mean before. */
function checkMethods(reader: ValueReader, { id, when, fault }: Rule, path: PlanPath): void {
  const foreign = fault.hasFixedMethods ? (when.method ?? []).filter((one) => !fault.methods.includes(one)) : [];
  if (foreign.length === 0) return;
  const message = `Rule "${id}" can never act on ${foreign.join(', ')}: ${fault.type} is made for ${fault.methods.join(' and ')}.`;
  reader.report([...path, 'when', 'method'], 'NEVER_MATCHES', message, `Allowed: ${fault.methods.join(', ')}; or leave it out.`);
}

/** Why no match can pass all parts of `at`. Matches count from 1; times from the start of the plan. */
function whyNever(at: At, limits: Limits): string | undefined {
  if (at.nth?.length === 0) return 'its at.nth is an empty list';
  if (at.first === 0) return 'its at.first is 0';
  const starts = [at.after, at.window?.from];
  const ends = [at.window?.to, at.until === 'recovered' ? undefined : at.until];
  const { maxMinutes } = limits;
  const fromMs = Math.max(0, ...values(starts, 'ms'));
  const toMs = Math.min(maxMinutes === undefined ? Infinity : maxMinutes * 60_000, ...values(ends, 'ms'));
  if (fromMs >= toMs) return `its time would start at ${fromMs} ms and end at ${toMs} ms`;
  const after = Math.max(0, ...values(starts, 'matches'));
  const last = Math.min(at.first ?? Infinity, ...values(ends, 'matches'));
  const every = at.every ?? 1;
  if (at.nth !== undefined) {
    return at.nth.some((nth) => nth > after && nth <= last && nth % every === 0) ? undefined : 'no match of at.nth passes the rest of at';
  }
  if (last === Infinity || Math.floor(last / every) * every > after) return undefined;
  return `no match lies after number ${after} and up to number ${last}${every === 1 ? '' : ` at every ${every}`}`;
}

function values(points: readonly (Point | undefined)[], unit: 'ms' | 'matches'): readonly number[] {
  return points.flatMap((point) => {
    if (point === undefined) return [];
    if ('ms' in point) return unit === 'ms' ? [point.ms] : [];
    return unit === 'matches' ? [point.matches] : [];
  });
}

function checkPairing(reader: ValueReader, rule: Rule, path: PlanPath, transport: TransportName | undefined): void {
  const { fault, when } = rule;
  if (when.era !== undefined && !fault.eras.includes(when.era)) {
    const message = `Rule "${rule.id}": the fault ${fault.type} cannot act in the ${when.era} era.`;
    reader.report([...path, 'when', 'era'], 'WRONG_CARRIER', message, `It works in: ${fault.eras.join(', ')}.`);
  }
  if (transport === undefined) return;
  const why = whyNotOn(fault, transport);
  if (why === undefined) return;
  const where = (Object.keys(TRANSPORT_CARRIERS) as TransportName[]).filter((name) => whyNotOn(fault, name) === undefined);
  reader.report(
    [...path, 'fault'],
    'WRONG_CARRIER',
    `Rule "${rule.id}": the fault ${fault.type} cannot act on ${transport}: ${why.replace(/\.$/, '')}.`,
    `It works on: ${where.join(', ')}.`,
  );
}
