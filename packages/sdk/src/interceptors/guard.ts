/** The guard of in-process injection: off unless somebody switched it on, and never in production. */

/** The variables that the guard reads. */
export type GuardEnvironment = Readonly<Record<string, string | undefined>>;

/** Why injection is refused; undefined when it is allowed. */
export function whyNotAllowed(env: GuardEnvironment): string | undefined {
  for (const name of ['NODE_ENV', 'ENVIRONMENT']) {
    if (env[name]?.trim().toLowerCase() === 'production') return `${name} is "${env[name]}"`;
  }
  return env['CHAOS_ENABLED']?.trim() === 'true' ? undefined : 'CHAOS_ENABLED is not "true"';
}

/** The environment of this process; empty where there is none (browsers, workers). */
export function processEnvironment(): GuardEnvironment {
  const { process } = globalThis as { process?: { env?: GuardEnvironment } };
  return process?.env ?? {};
}
