export { blockDependency } from './block-dependency.js';
export { wait } from './wait.js';
