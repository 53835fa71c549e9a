export { ensureRunning } from './ensure-running.js';
export { thawProcess } from './thaw-process.js';
