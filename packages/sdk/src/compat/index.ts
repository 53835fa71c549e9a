/**
 * `@toolquake/sdk/compat`: the names, texts and routes of mcp-chaos-monkey, for who moves over. Its entry points are those of
 * that package, with another beginning. New code starts from `@toolquake/sdk/controller`. See docs/migrating.md.
 */
export { assertChaosAllowed } from './guard.js';
export { ChaosController } from './controller.js';
export type { FaultConfig } from '../controller/parse-fault-config.js';
export { isFaultTarget, type FaultTarget } from './fault.js';
export { configureChaosLogger, createConsoleLogger, type ChaosLogger, type ChaosLoggerFactory } from './logger.js';
export { defineScenario, type ChaosScenario } from './scenario.js';
export { createChaosAwareFetch } from './http.js';
export { wrapRedisWithChaos } from './redis.js';
export { chaosAuthMiddleware, createChaosAuthMiddleware, type AuthMiddleware, type AuthResponse } from './auth.js';
export { registerChaosEndpoint, type AdminEndpointApp, type AdminEndpointRequest, type AdminEndpointResponse } from './admin.js';
export { runCli } from './cli.js';
export { parseFaultConfig } from '../controller/parse-fault-config.js';
