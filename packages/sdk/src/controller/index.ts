export * from './admin.js';
export * from './controller.js';
export * from './fault-config.js';
