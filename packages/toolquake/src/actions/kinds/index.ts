export { freezeProcess } from './freeze-process.js';
export { killProcess } from './kill-process.js';
export { restartServer } from './restart-server.js';
export { wait } from './wait.js';
