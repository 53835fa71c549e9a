/** What is sent to `POST /chaos/inject` for a fault config, so that services of ours, of TypeScript and of Python understand it. */
import { parseFaultConfig } from '@toolquake/sdk/controller';
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';

/** What the command line says beside the config. */
export type GivenBeside = { readonly target: string | undefined; readonly durationMs: number | undefined };

/** The body for a config, or for a whole request as a file may hold it. Throws where it is wrong, before anything is sent. */
export function injectRequest(given: unknown, beside: GivenBeside): JsonObject {
  const isRequest = isObject(given) && Object.hasOwn(given, 'config');
  const config = isRequest ? given['config'] : given;
  parseFaultConfig(config);
  const request: JsonObject = isRequest ? given : {};
  const target = beside.target ?? request['target'];
  if (typeof target !== 'string' || target === '')
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'A fault config needs a target.',
      advice: 'Write: --target NAME, as the interceptor of the service is called; a proxy takes --target "*".',
    });
  const durationMs = beside.durationMs ?? request['durationMs'] ?? request['duration_ms'] ?? undefined;
  if (durationMs !== undefined && !(typeof durationMs === 'number' && Number.isFinite(durationMs) && durationMs > 0))
    throw new ToolquakeError('OUT_OF_RANGE', { message: 'durationMs must be a number of milliseconds over 0.' });
  // Each kind of service reads the spelling that it knows, and passes over the other.
  return { target, config, ...(durationMs === undefined ? {} : { durationMs, duration_ms: durationMs }) };
}
