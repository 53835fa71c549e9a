export * from './bulkhead.js';
export * from './deadline-routing.js';
export * from './eta-breaker.js';
export * from './graceful-degradation.js';
export * from './idempotent-contract.js';
export * from './outbound-limiter.js';
export * from './retry-budget.js';
