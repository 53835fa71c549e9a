/** The vocabulary of toolquake.yaml. Gates and the monitor read the same file; every key has one line here. */
import type { SettingField, SettingFields } from '../core/setting-field.js';
import { CALL_FIELDS } from './expectation.js';

const ONE_HOUR = 3_600_000;
const time = (about: string): SettingField => ({ kind: 'time', max: ONE_HOUR, about });
const text = (about: string): SettingField => ({ kind: 'text', about });
/** Secrets stand in the environment, never in the file. */
export const secret = (about: string): SettingField => ({
  kind: 'text',
  about,
  isSecret: true,
  pattern: /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/,
  likeThis: '"${SHOP_TOKEN}"; secrets come from the environment, never from this file.',
});

const budgets: SettingFields = {
  resolve: time('Resolving the name; 2s by default.'),
  tcp: time('Connecting; 3s by default.'),
  tls: time('The TLS handshake; 3s by default.'),
  detect: time('Commands: silence on server/discover that counts as an older server; 3s by default.'),
  hello: time('The handshake; 5s by default.'),
  list: time('Each page of a list; 5s by default.'),
  call: time('Each canary call; 10s by default.'),
  health: time('The health URL; 3s by default.'),
  total: time('Everything together; 25s by default.'),
  maxPages: { kind: 'whole', min: 1, max: 10_000, about: 'Pages of a list that are followed; 100 by default.' },
  maxItems: { kind: 'whole', min: 1, max: 1_000_000, about: 'Entries of a list that are accepted; 10000 by default.' },
  maxAnswerBytes: { kind: 'whole', min: 1024, max: 1_073_741_824, about: 'Bytes of an answer that are accepted; 8388608 by default.' },
  maxDepth: { kind: 'whole', min: 4, max: 1000, about: 'Levels of nesting that are accepted; 100 by default.' },
};

const canary: SettingFields = {
  name: text('How it is called in reports; the tool, unless told otherwise.'),
  tool: { kind: 'text', about: 'The tool to call. Either this or a fixture file.' },
  fixture: text('A fixture file of "toolquake golden", from this file: every fixture in it is a canary.'),
  ...CALL_FIELDS,
};

/** Slower than these is `slow_*`, though within the budget. */
const slow: SettingFields = Object.fromEntries(
  ['resolve', 'tcp', 'tls', 'hello', 'list', 'call'].map((stage) => [stage, time(`Slower than this is slow_${stage}.`)]),
);

/** The keys of a target, wherever one is described. */
export const TARGET_FIELDS: SettingFields = {
  name: {
    kind: 'text',
    isRequired: true,
    about: 'How commands and reports call it.',
    pattern: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
    likeThis: 'shop',
  },
  url: { kind: 'text', about: 'Where it is. Either this or a command.', pattern: /^https?:\/\/./, likeThis: 'https://shop.example/mcp' },
  command: { kind: 'names', about: 'The command that starts it, word by word; no shell. Either this or a URL.' },
  env: {
    kind: 'map',
    item: text('A value; ${NAME} is read from the environment.'),
    about: 'Commands: variables besides our own environment.',
  },
  cwd: text('Commands: the folder to start in, from this file.'),
  headers: { kind: 'map', item: text('A value; ${NAME} is read from the environment.'), about: 'URLs: further headers.' },
  auth: {
    kind: 'group',
    about: 'URLs: credentials.',
    fields: {
      type: { kind: 'word', words: ['bearer', 'client-credentials'], isRequired: true, about: 'A token, or OAuth client credentials.' },
      token: secret('bearer: the variable with the token.'),
      tokenUrl: {
        kind: 'text',
        about: 'client-credentials: the token endpoint.',
        pattern: /^https?:\/\/./,
        likeThis: 'https://login.example/token',
      },
      clientId: secret('client-credentials: the variable with the id.'),
      clientSecret: secret('client-credentials: the variable with the secret.'),
      scope: text('client-credentials: the scope to ask for.'),
      resource: text('client-credentials: the resource to ask for (RFC 8707).'),
    },
  },
  caFile: text('URLs: a file with certificates to trust besides the usual ones, from this file.'),
  publicOnly: { kind: 'flag', about: 'URLs: refuse addresses that are not public.' },
  era: { kind: 'word', words: ['auto', 'modern', 'legacy'], about: 'The protocol era; auto by default.' },
  budgets: { kind: 'group', fields: budgets, about: 'How long we wait, and how much we accept.' },
  slow: { kind: 'group', fields: slow, about: 'Times that are within the budget and still too slow.' },
  tools: { kind: 'names', about: 'Tools that must be listed.' },
  manifest: text('The lock file of its manifest, from this file.'),
  canaries: { kind: 'list', item: { kind: 'group', fields: canary, about: 'A canary call.' }, about: 'Known calls with known answers.' },
  health: {
    kind: 'group',
    about: 'A URL that tells how the server thinks it is.',
    fields: {
      url: { kind: 'text', isRequired: true, about: 'Where to ask.', pattern: /^https?:\/\/./, likeThis: 'https://shop.example/health' },
      expectStatus: { kind: 'whole', min: 100, max: 599, about: 'The status of a healthy server; 200 by default.' },
      reasonField: { kind: 'text', about: 'The member of its JSON that says why not; "reason" by default.' },
    },
  },
  labels: { kind: 'map', item: text('A value.'), about: 'Words for routing and for tables.' },
};

/** The whole file. */
export const PROJECT_FIELDS: SettingFields = {
  version: { kind: 'whole', min: 1, max: 1, about: 'The version of this format: 1.' },
  import: {
    kind: 'names',
    about: 'Config files of MCP clients (.mcp.json, mcp.json, settings.json) whose servers are targets, too, from this file.',
  },
  budgets: { kind: 'group', fields: budgets, about: 'For all targets that say nothing else.' },
  targets: { kind: 'list', item: { kind: 'group', fields: TARGET_FIELDS, about: 'A target.' }, about: 'Servers under study.' },
};
