import { ToolquakeError, isObject, type JsonObject } from '@toolquake/sdk/core';
import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand, numberOf, textOf } from '../command.js';

/** A fault in a running proxy, for a while. */
export const inject = defineCommand({
  name: 'inject',
  summary: 'Injects a fault into a running proxy, from its next call on.',
  positionals: [{ name: 'FAULT', about: 'A name that "toolquake faults" lists.' }],
  options: [
    ...ADMIN_OPTIONS,
    { flag: '--params', kind: 'text', value: 'JSON', about: 'Parameters of the fault, for example \'{"addedMs": 4000}\'.' },
    { flag: '--tool', kind: 'text', value: 'GLOB', about: 'Only calls of these tools.' },
    { flag: '--probability', kind: 'number', value: 'P', about: 'Share of the calls.', min: 0, max: 1 },
    { flag: '--duration', kind: 'number', value: 'SECONDS', about: 'How long it lives; default: 900.', min: 0.001, max: 2_147_483 },
  ],
  examples: ['toolquake inject latency --params \'{"addedMs": 4000}\' --tool "search_*" --url http://127.0.0.1:9901'],
  handle: async (given, io) => {
    const { options, positionals } = given;
    const fault = positionals['FAULT'];
    const tool = textOf(options['tool']);
    const probability = numberOf(options['probability']);
    const seconds = numberOf(options['duration']);
    const body: JsonObject = {
      fault,
      ...(options['params'] === undefined ? {} : { params: paramsOf(String(options['params'])) }),
      ...(tool === undefined ? {} : { when: { tool } }),
      ...(probability === undefined ? {} : { probability }),
      ...(seconds === undefined ? {} : { durationMs: Math.ceil(seconds * 1000) }),
    };
    return askProxy(given, io, { route: 'POST /chaos/inject', body }, ({ faultId }) => `injected ${fault} as ${String(faultId)}`);
  },
});

function paramsOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Told below, like a value that is no object.
  }
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: '--params must be a JSON object.',
    advice: 'Quote it for your shell, for example: --params \'{"addedMs": 4000}\'',
  });
}
