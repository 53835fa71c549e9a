export { blockDependency } from './block-dependency.js';
export { slowDependency } from './slow-dependency.js';
export { wait } from './wait.js';
