/** `@toolquake/sdk/testing`: the contract suite that every fault passes, and what tests of faults are made of. Needs vitest and fast-check. */
export * from '../assertions/index.js';
export * from './contract-clauses.js';
export * from './events.js';
export * from './example-messages.js';
export * from './fault-contract.js';
export * from './manual-clock.js';
export * from './mcp-shape.js';
export * from './ordinary-conversation.js';
export * from './recording-ends.js';
export * from './test-context.js';
export * from './test-rig.js';
