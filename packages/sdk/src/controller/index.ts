export * from './admin.js';
export * from './attach.js';
export * from './controller.js';
export * from './environment-plan.js';
export * from './fault-config.js';
export type { Run } from './run.js';
export * from './start-plan.js';
