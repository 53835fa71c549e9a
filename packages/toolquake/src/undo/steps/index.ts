export { endProcess } from './end-process.js';
