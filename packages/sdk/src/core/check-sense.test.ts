import { expect, test } from 'vitest';
import { checkPlan } from './check-plan.js';
import { createCatalogue, defineFault, type TransportName } from './fault.js';
import { ratio } from './params.js';

const tidy = defineFault({
  type: 'tidy',
  summary: 'Edits results.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['tools/list', 'tools/call'],
  hasFixedMethods: true,
  params: { keepRatio: ratio({ default: 0.5, about: 'Share.' }) },
  whyPointless: ({ keepRatio }) => (keepRatio === 1 ? 'its keepRatio is 1' : undefined),
  decide: () => [],
});
const late = defineFault({
  type: 'late',
  summary: 'Late.',
  carriers: ['mcp'],
  role: 'shaping',
  phases: ['post', 'pre'],
  params: {},
  decide: () => [],
});
const catalogue = createCatalogue([tidy, late]);

const rule = (parts: object): object => ({ rules: [{ id: 'r', fault: 'tidy', ...parts }] });

/** The problems of a plan as `path code message | advice`. */
function problemsOf(value: unknown, transport?: TransportName): readonly string[] {
  return checkPlan(value, catalogue, { transport }).problems.map(
    ({ path, code, message, advice }) => `${path.join('.')} ${code} ${message}${advice === undefined ? '' : ` | ${advice}`}`,
  );
}

test('refuses a method that the fault is not made for, and names those that it is', () => {
  expect(problemsOf(rule({ when: { method: ['tools/call', 'resources/read', 'prompts/*'] } }))).toEqual([
    'rules.0.when.method NEVER_MATCHES Rule "r" can never act on resources/read, prompts/*: tidy is made for tools/list and tools/call. | Allowed: tools/list, tools/call; or leave it out.',
  ]);
  expect(problemsOf(rule({ when: { method: 'resources/read' }, enabled: false }))).toEqual([]);
});

test('a wildcard means the methods that the fault is made for', () => {
  const methodsOf = (fault: string, method: unknown): unknown =>
    checkPlan(rule({ fault, when: { method } }), catalogue).plan?.rules[0]?.when.method;
  expect(methodsOf('tidy', '*')).toEqual(['tools/list', 'tools/call']);
  expect(methodsOf('tidy', ['tools/c*', 'tools/call'])).toEqual(['tools/call']);
  expect(methodsOf('late', '*')).toEqual(['*']);
});

test('refuses the answer of a notification', () => {
  const on = (method: unknown, phase: string): readonly string[] => problemsOf(rule({ fault: 'late', when: { method }, phase }));
  expect(on('notifications/*', 'post')).toEqual([
    'rules.0.when.method NEVER_MATCHES Rule "r" can never match: its phase is post, and a notification has no answer. | Write: phase: pre',
  ]);
  expect(on('notifications/*', 'pre')).toEqual([]);
  expect(on(['notifications/*', 'tools/call'], 'post')).toEqual([]);
});

test('refuses parameters that can never do anything', () => {
  expect(problemsOf(rule({ params: { keepRatio: 1 } }))).toEqual([
    'rules.0.params NEVER_MATCHES Rule "r" can never match: its keepRatio is 1.',
  ]);
});

test('tasks go by header only where there are headers', () => {
  const plan = { rules: [], task: { by: 'header', header: 'x-task' } };
  expect(problemsOf(plan, 'stdio')).toEqual([
    'task.by WRONG_CARRIER task.by cannot be "header" on stdio: a pipe carries no HTTP headers. | Write: by: session',
  ]);
  for (const transport of ['http', 'fetch', undefined] as const) expect(problemsOf(plan, transport)).toEqual([]);
});
