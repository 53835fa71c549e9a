export * from './retry-budget.js';
export * from './graceful-degradation.js';
export * from './eta-breaker.js';
