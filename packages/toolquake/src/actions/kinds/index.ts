export { freezeProcess } from './freeze-process.js';
export { killProcess } from './kill-process.js';
export { restartServer } from './restart-server.js';
export { blockDependency } from './block-dependency.js';
export { wait } from './wait.js';
