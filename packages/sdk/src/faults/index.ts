export { errorResponse } from './error-response.js';
export { latency } from './latency.js';
