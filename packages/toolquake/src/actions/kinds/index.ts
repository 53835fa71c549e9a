export { callTool } from './call-tool.js';
export { exhaustPool } from './exhaust-pool.js';
export { plan } from './plan.js';
export { runLoad } from './run-load.js';
export { shrinkPool } from './shrink-pool.js';
export { wait } from './wait.js';
