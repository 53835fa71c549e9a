export * from './fetch.js';
export type { FetchFunction } from './fetch-request.js';
export * from './guard.js';
export { realClock } from '../core/surroundings.js';
