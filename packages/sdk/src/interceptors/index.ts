export * from './fetch.js';
export type { FetchFunction } from './fetch-request.js';
export * from './guard.js';
export * from './intercept-dispatcher.js';
export * from './intercept-fetch.js';
export * from './intercept-transport.js';
export * from './intercept-tools.js';
export * from '../core/patch-property.js';
export { backgroundClock, realClock } from '../core/surroundings.js';
