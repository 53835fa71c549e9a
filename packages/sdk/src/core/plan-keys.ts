/** Every key of the plan format. Frozen: checks, JSON Schema and reference docs are derived from this one list. */
export const PLAN_KEYS = {
  plan: ['version', 'seed', 'rules', 'limits', 'task', 'expect'],
  rule: ['id', 'fault', 'params', 'when', 'at', 'probability', 'shape', 'phase', 'enabled'],
  when: ['tool', 'method', 'direction', 'args', 'session', 'era', 'target'],
  at: ['nth', 'every', 'first', 'after', 'window', 'until', 'oncePer'],
  window: ['from', 'to'],
  shape: ['iid', 'burst', 'episode', 'ramp'],
  chain: ['rate', 'meanLength', 'scope'],
  ramp: ['from', 'to', 'over'],
  limits: ['maxFaults', 'maxMinutes'],
  task: ['by', 'header', 'deadlineMs'],
  expect: ['fired', 'measures'],
  bounds: ['min', 'max'],
} as const;

/** The words that some keys take. Frozen like the keys. */
export const PLAN_WORDS = {
  direction: ['to-server', 'to-client'],
  era: ['legacy', 'modern'],
  phase: ['pre', 'post'],
  oncePer: ['args', 'session', 'tool'],
  scope: ['call', 'tool', 'session', 'plan'],
  taskBy: ['session', 'header'],
} as const;

/** Longest rule id. */
export const MAX_RULE_ID_LENGTH = 100;
