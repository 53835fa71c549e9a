/** The guard: injection is refused in production. Observing is never guarded. */

const WITNESSES = ['NODE_ENV', 'ENVIRONMENT'] as const;

/** Why nothing may be injected here; undefined when injecting is fine. */
export function guardedBecause(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const witness = WITNESSES.find((name) => env[name]?.trim().toLowerCase() === 'production');
  return witness === undefined ? undefined : `${witness} says "${env[witness]?.trim()}"`;
}
