/** The guard of in-process injection: off unless somebody switched it on, and never in production. */

/** The variables that the guard reads. */
export type GuardEnvironment = Readonly<Record<string, string | undefined>>;

const WITNESSES = ['NODE_ENV', 'ENVIRONMENT'] as const;

/** Who says that this is production, and how; undefined when nobody does. All that guards a proxy, which was started to inject. */
export function productionWitness(env: GuardEnvironment): string | undefined {
  const witness = WITNESSES.find((name) => env[name]?.trim().toLowerCase() === 'production');
  return witness === undefined ? undefined : `${witness} says "${env[witness]?.trim()}"`;
}

/** Why injection in process is refused; undefined when it is allowed. */
export function whyNotAllowed(env: GuardEnvironment): string | undefined {
  const witness = productionWitness(env);
  if (witness !== undefined) return witness;
  return env['CHAOS_ENABLED']?.trim() === 'true' ? undefined : 'CHAOS_ENABLED is not "true"';
}

/** The environment of this process; empty where there is none (browsers, workers). */
export function processEnvironment(): GuardEnvironment {
  const { process } = globalThis as { process?: { env?: GuardEnvironment } };
  return process?.env ?? {};
}

/** Why the guard refuses; undefined when it does not. */
export function whyGuarded(isAllowed: (() => boolean) | undefined): string | undefined {
  if (isAllowed === undefined) return whyNotAllowed(processEnvironment());
  return isAllowed() ? undefined : 'isAllowed said no';
}
