import { processEnvironment, productionWitness, whyNotAllowed } from '../interceptors/guard.js';

/** Throws where faults may not be injected: in production, and where `CHAOS_ENABLED` is not `true`. */
export function assertChaosAllowed(): void {
  const env = processEnvironment();
  if (productionWitness(env) !== undefined) throw new Error('FATAL: Chaos framework must never run in production');
  if (whyNotAllowed(env) !== undefined) throw new Error('Chaos framework not enabled. Set CHAOS_ENABLED=true');
}
