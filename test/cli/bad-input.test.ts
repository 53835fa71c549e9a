/** Bad input ends with a clear message, a position and the nearest good value; nothing is written, nothing is started. */
import { describe, expect, test } from 'vitest';
import { createDesk } from './harness.js';

const rule = (parts: string): string => `version: 1\nrules:\n  - id: slow\n    ${parts}\n`;

const plans: readonly (readonly [what: string, source: string, stderr: string])[] = [
  ['an unknown fault', rule('fault: latencyy'), 'plan.yaml:4:12: Rule "slow" uses the unknown fault "latencyy".\nDid you mean "latency"?'],
  [
    'an unknown key',
    rule('fualt: latency\n    fault: latency'),
    'plan.yaml:4:5: rules[0] has the unknown key "fualt".\nDid you mean "fault"?',
  ],
  [
    'an unknown parameter',
    rule('fault: latency\n    params: { addedMS: 5 }'),
    'plan.yaml:5:15: rules[0].params has the unknown key "addedMS".\nDid you mean "addedMs"?',
  ],
  [
    'a wrong type',
    rule('fault: latency\n    probability: often'),
    'plan.yaml:5:18: rules[0].probability must be a number from 0 to 1, not "often".',
  ],
  [
    'probability 2',
    rule('fault: latency\n    probability: 2'),
    'plan.yaml:5:18: rules[0].probability must be a number from 0 to 1, not 2.\nThe nearest allowed value is 1.',
  ],
  [
    'probability NaN',
    rule('fault: latency\n    probability: .nan'),
    'plan.yaml:5:18: rules[0].probability must be a number from 0 to 1, not NaN.',
  ],
  [
    'a negative delay',
    rule('fault: latency\n    params: { addedMs: -4000 }'),
    'plan.yaml:5:24: rules[0].params.addedMs must be a number from 0 to 86400000 ms, not -4000.\nThe nearest allowed value is 0.',
  ],
  ['an empty file', '', 'plan.yaml:1:1: There is nothing in it.\nThe smallest plan is "rules: []".'],
  [
    'a rule that can never match',
    rule('fault: latency\n    at: { first: 0 }'),
    'plan.yaml:5:9: Rule "slow" can never match: its at.first is 0.',
  ],
  [
    'duplicate ids',
    rule('fault: latency\n  - id: slow\n    fault: hang'),
    'plan.yaml:5:9: rules[0] and rules[1] have the same id "slow".\nFor example: id: slow-2',
  ],
  ['tabs', 'rules:\n\t- fault: latency\n', 'plan.yaml:2:1: Tabs are not allowed as indentation.\nIndent with spaces.'],
  [
    'several problems',
    'sede: 1\nrules: 5\n',
    'plan.yaml has 2 problems:\n  plan.yaml:1:1: the plan has the unknown key "sede". Did you mean "seed"?\n  plan.yaml:2:8: rules must be a list.',
  ],
  ['a huge file', `# ${'x'.repeat(1024 * 1024)}`, 'plan.yaml is larger than 1024 KiB, too large for a plan.'],
  [
    'a YAML bomb',
    [
      'a: &a [x]',
      ...'bcdefghij'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[index]}`).join(',')}]`),
    ].join('\n'),
    'plan.yaml:1:1: Its aliases multiply to more than 100 copies.',
  ],
  ['a deep file', '['.repeat(50_000), 'plan.yaml:1:101: The text is nested more than 100 levels deep.'],
  [
    'a fault config with an unknown type',
    '{"target": "api", "config": {"type": "latncy"}}',
    'plan.yaml:1:38: A fault config has the unknown type "latncy".\nDid you mean "latency"?',
  ],
];

describe.each(['check', 'explain'])('plan %s', (command) => {
  test.each(plans)('refuses %s with exit 2', async (_, source, stderr) => {
    const desk = createDesk({ 'plan.yaml': source });
    const run = await desk.run(['plan', command, 'plan.yaml']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(`error ${stderr}`);
    expect(desk.files()).toEqual(['plan.yaml']);
  });
});

// Every command that takes a plan reads it before it starts anything.
test.each([
  [['simulate', 'plan.yaml', '--journal', 'journal.jsonl']],
  [['proxy', 'stdio', '--plan', 'plan.yaml', '--journal', 'journal.jsonl', '--', 'touch', 'started']],
  [['proxy', 'http', '--plan', 'plan.yaml', '--journal', 'journal.jsonl', '--upstream', 'http://127.0.0.1:9']],
])('%j refuses a bad plan, writes nothing and starts nothing', async (argv) => {
  const desk = createDesk({ 'plan.yaml': rule('fault: latencyy') });
  const run = await desk.run(argv);
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain('plan.yaml:4:12: Rule "slow" uses the unknown fault "latencyy".');
  expect(desk.files()).toEqual(['plan.yaml']);
});

test.each<[argv: readonly string[], code: number, stderr: string]>([
  [['plan', 'check', 'plam.yaml'], 2, 'plam.yaml does not exist.\nDid you mean "plan.yaml"?'],
  [['plan', 'check', '.'], 2, '. cannot be read: it is a folder.'],
  [
    ['plan', 'check', 'plan.yaml', '--for', 'stdoi'],
    2,
    '--for must be stdio, http, fetch, in-process, database, tcp, simulator, not "stdoi".\nDid you mean "stdio"?',
  ],
  [
    ['plan', 'check', 'http-only.yaml', '--for', 'stdio'],
    2,
    'http-only.yaml:2:14: Rule "r": the fault http-status cannot act on stdio: A pipe carries no HTTP.\nIt works on: http, fetch, simulator.',
  ],
  [['plan', 'chekc', 'plan.yaml'], 2, 'There is no command "toolquake plan chekc".\nDid you mean "plan check"?'],
  [['demoo'], 2, 'There is no command "toolquake demoo".\nDid you mean "demo"?'],
  [['plan', 'check', 'plan.yaml', '--jsno'], 2, `Unknown option '--jsno'.\nDid you mean --json?`],
  [['plan', 'check'], 2, `Missing required argument 'FILE'.`],
  [['faults', 'lost-akc'], 2, 'There is no fault "lost-akc".\nDid you mean "lost-ack"?'],
  [['simulate', 'plan.yaml', '--seeds', '0'], 2, '--seeds must be a whole number'],
  [['demo', '--rate', '2'], 2, '--rate must be a number from 0 to 1, not "2".\nThe nearest allowed value is 1.'],
  [['proxy', 'stdio'], 2, '"toolquake proxy stdio" needs'],
  [['proxy', 'stdio', '--', 'no-such-command-anywhere'], 3, 'no-such-command-anywhere'],
])('%j is refused with exit %i', async (argv, code, stderr) => {
  const desk = createDesk({ 'plan.yaml': 'rules: []\n', 'http-only.yaml': 'rules:\n  - { fault: http-status, id: r }\n' });
  const run = await desk.run(argv);
  expect(run).toMatchObject({ code, stdout: '' });
  expect(run.stderr).toContain(stderr);
  expect(run.stderr).not.toMatch(/\n\s+at /);
  expect(desk.files()).toEqual(['http-only.yaml', 'plan.yaml']);
});
