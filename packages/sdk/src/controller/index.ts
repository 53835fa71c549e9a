export * from './admin.js';
export * from './controller.js';
export * from './event-feed.js';
export * from './fault-config.js';
export * from './live-metrics.js';
export * from './metrics-text.js';
export * from './task-marks.js';
