/** The vocabulary of an experiment file; every key has one line here. Parameters of actions are in the tables of the actions. */
import { SIGNALS } from '../core/sample.js';
import type { SettingField, SettingFields } from '../core/setting-field.js';
import { secret, TARGET_FIELDS } from './project-fields.js';

const ONE_DAY = 86_400_000;
const time = (about: string, min?: number): SettingField => ({ kind: 'time', max: ONE_DAY, about, ...(min === undefined ? {} : { min }) });
const text = (about: string): SettingField => ({ kind: 'text', about });
const whole = (about: string, min: number, max: number): SettingField => ({ kind: 'whole', min, max, about });
const group = (about: string, fields: SettingFields): SettingField => ({ kind: 'group', fields, about });
const list = (about: string, item: SettingField): SettingField => ({ kind: 'list', item, about });
const required = (field: SettingField): SettingField => ({ ...field, isRequired: true });
/** A word that may become the name of a folder or an argument of a command: never an option, a path or two words. */
const name = (about: string, likeThis: string): SettingField => ({
  kind: 'text',
  about,
  pattern: /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/,
  likeThis,
});
const tool = required(text('The tool to call.'));
const toolArguments: SettingField = { kind: 'map', item: { kind: 'value', about: 'An argument.' }, about: 'Its arguments.' };

/** What both kinds of rules ask. */
const query: SettingFields = {
  signal: { kind: 'word', words: Object.keys(SIGNALS), isRequired: true, about: 'What is looked at.' },
  name: text('signal "reading": which reading.'),
  lane: {
    kind: 'word',
    words: ['control', 'faulted'],
    about: 'Only calls that we did not touch, or only those that we did; both by default.',
  },
  window: time('How far back it looks; 60s by default, and never less than five probes.'),
  minSamples: whole('With fewer samples it says nothing; 20 for calls and operations, else 1.', 1, 1_000_000),
};

const number = (about: string): SettingField => ({ kind: 'number', about });

const steady: SettingFields = {
  ...query,
  atLeast: number('It is this or more.'),
  atMost: number('It is this or less.'),
  equals: number('It is this.'),
  in: { kind: 'names', about: 'When it must hold: before, during, after; all three by default.' },
};

const trip: SettingFields = {
  ...query,
  above: number('It stops the run above this.'),
  below: number('It stops the run below this.'),
  for: time('Only when it stays so for so long; at once by default.', 0),
};

const action: SettingFields = {
  id: name('How the journal calls it; the word of the action by default.', 'cut'),
  action: required(text('The word of the action: see "Actions".')),
  params: { kind: 'map', item: { kind: 'value', about: 'A parameter.' }, about: 'Its parameters: see "Actions".' },
  for: required(time('How long it stays before the next one begins; all are undone at the end.')),
};

const webhook: SettingField = {
  kind: 'text',
  about: 'An address, with its secret part as ${NAME}.',
  isSecret: true,
  pattern:
    /^(\$\{[A-Za-z_][A-Za-z0-9_]*\}|https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/\S*)?|https?:\/\/[^\s@]*\$\{[A-Za-z_][A-Za-z0-9_]*\}[^\s@]*)$/,
  likeThis: '"${SLACK_URL}"; whoever has the address of a webhook may post there, so it comes from the environment.',
};

const manager: SettingFields = {
  pm2: name('Its name under PM2.', 'demo-server'),
  systemd: name('Its systemd unit.', 'demo-server.service'),
  docker: name('Its container.', 'demo-server'),
  pid: whole('Its process id; who restarts it is not known.', 2, 2 ** 31),
  command: { kind: 'names', about: 'Its command line, word by word; who restarts it is not known.' },
  own: { kind: 'flag', about: 'The run starts it itself, as for servers on stdio, and starts it again.' },
};

/** An experiment brings a name for its target itself, unless the target says one. */
const target: SettingFields = { ...TARGET_FIELDS, name: name('How reports call it; the id of the experiment by default.', 'shop') };

/** The whole file. */
export const EXPERIMENT_FIELDS: SettingFields = {
  version: required(whole('The version of this format: 1.', 1, 1)),
  id: required({
    kind: 'text',
    about: 'How runs and reports call it.',
    pattern: /^[a-z0-9][a-z0-9-]{0,63}$/,
    likeThis: 'block-database',
  }),
  owner: text('Who is asked when it fails.'),
  question: required({ kind: 'text', pattern: /\S/, about: 'What is to be learnt: one sentence that is true when the experiment holds.' }),
  target: {
    kind: 'either',
    isRequired: true,
    about: 'The server under study: a name from toolquake.yaml, or a mapping with the keys of a target there.',
    text: text('A name from toolquake.yaml.'),
    group: group('A target, described here.', target),
  },
  environment: required(text('What kind of world it lives in, such as staging; production is refused.')),
  labels: { kind: 'map', item: text('A value.'), about: 'Besides those of the target.' },
  manager: group('What runs the server, and starts it again. One of these.', manager),
  monitor: group('The probe outside, in a process of its own.', {
    every: time('From probe to probe; 60s by default.'),
    failures: whole('Failures in a row before it alerts; 2 by default.', 1, 100),
    slowFactor: number('It alerts above so many times the p95 of the quiet phase; 2 by default.'),
    slowOver: whole('Probes that a p95 is taken over; 10 by default.', 1, 1000),
    webhooks: list('Where alerts go, besides the receiver of the run.', webhook),
    external: group('A monitor of yours, which posts its alerts to the receiver of the run.', {
      port: required(whole('Where the receiver listens; 0 is any free port.', 0, 65_535)),
      token: required(secret('The variable with the token that it must send.')),
    }),
  }),
  load: group('A workload of ours: calls for the faults to hit.', {
    tool,
    arguments: {
      ...toolArguments,
      about: 'Its arguments. In texts, {operation} is another name for each operation, the same for its retries.',
    },
    clients: whole('Callers at once; 4 by default.', 1, 1000),
    perSecond: number('Calls a second of all together; 20 by default.'),
    timeout: time('A call is given up after this; 2s by default.'),
    retries: whole('How often a caller tries again; 0 by default.', 0, 20),
    retryDelay: time('Before the first retry, doubled each time; 100ms by default.'),
    notEmpty: text('A path into the answer where something must stand.'),
  }),
  readings: list(
    'Numbers that are read again and again.',
    group('A number.', {
      name: required(name('How rules call it.', 'orders')),
      tool,
      arguments: toolArguments,
      path: required(text('Where it stands in the answer.')),
      every: time('How often it is read; 5s by default.'),
    }),
  ),
  front: group('A proxy of the run before the target; load and probes go through it.', {
    port: whole('Where it listens; any free port by default.', 0, 65_535),
  }),
  steady: list(
    'What must stay true. Without it: p95 of probes <= 500 ms, no failures, and what health and uptime can say.',
    group('A rule.', steady),
  ),
  actions: required(list('What is broken, in order.', group('A step.', action))),
  dose: group('How much is broken, stage by stage.', {
    ladder: list('Percent of each stage, ascending; [10, 25, 50], or [100] where only whole servers are hit.', whole('Percent.', 1, 100)),
    minFaulted: whole('Calls that must be hit, or the run says nothing; 300 by default, 0 where only whole servers are hit.', 0, 1_000_000),
    seed: whole('What the draws depend on; 1 by default.', 0, 2 ** 31),
  }),
  rollback_on: list('When the engine stops by itself; besides these, what the actions bring.', group('A tripwire.', trip)),
  expect: group('What must come of it.', {
    alert: group('The alert that must come.', {
      reasons: { kind: 'names', about: 'One of these failure reasons; any by default.' },
      withinCycles: whole('Probes from the fault to the alert; 2 by default.', 1, 1000),
    }),
    recoverWithin: time('How soon all is steady again; 5m by default.'),
    selfHeal: { kind: 'flag', about: 'It must recover while the fault is still there.' },
  }),
  times: group('How long the quiet phases are.', {
    before: time('Before the fault; 60s by default.'),
    after: time('After the undo; 60s by default.'),
    tick: time('How often the tripwires are looked at; 500ms by default.'),
  }),
  undo: group('Undoing, which always happens.', { deadline: time('How long it may take; 5s by default.', 500) }),
  lease: group('How long a fault may outlive the run that made it.', {
    ttl: time('Without a sign of life for so long, the warden undoes; 45s by default.', 1000),
    heartbeat: time('How often the run gives one; 5s by default.', 100),
  }),
  limits: group('The most that a run may do.', {
    maxRuntime: time('60m by default.'),
    maxFaultedCalls: whole('2000 by default.', 1, 100_000_000),
    maxCalls: whole('100000 by default.', 1, 1_000_000_000),
  }),
  approval: group('When a person has to agree.', { fromStage: whole('From this stage on; 2 by default.', 1, 100) }),
};

/** Words of other formats, and ours for the same. */
export const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['schema', 'version: 1'],
  ['faults', 'actions'],
  ['method', 'actions'],
  ['kind', 'action'],
  ['plane', 'action'],
  ['guards', 'approval'],
  ['after', 'dose.ladder; after three greens "experiment preview" says what to widen'],
  ['abort', 'rollback_on'],
  ['abort_conditions', 'rollback_on'],
  ['abortConditions', 'rollback_on'],
  ['rollbacks', 'rollback_on; undoing needs no words'],
  ['rollbackOn', 'rollback_on'],
  ['tripwires', 'rollback_on'],
  ['hypothesis', 'steady'],
  ['steady_state', 'steady'],
  ['steady-state-hypothesis', 'steady'],
  ['title', 'question'],
  ['description', 'question'],
  ['duration', 'for'],
  ['holdAtLeast', 'actions[].for'],
  ['source', 'signal; it says its source'],
  ['name', 'id'],
]);
