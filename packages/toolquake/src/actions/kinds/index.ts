export { wait } from './wait.js';
