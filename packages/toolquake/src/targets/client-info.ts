/** Who we say that we are. */
import { createRequire } from 'node:module';
import type { JsonObject } from '@toolquake/sdk/core';

let version: string | undefined;

/** Name and version for hellos: servers' logs should be able to tell probes from people. */
export function clientInfo(): JsonObject {
  // The one member that a package certainly has.
  version ??= (createRequire(import.meta.url)('toolquake/package.json') as { version: string }).version;
  return { name: 'toolquake-probe', version };
}
