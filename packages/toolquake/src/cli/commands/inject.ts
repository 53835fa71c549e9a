import { ToolquakeError, isObject, type JsonObject } from '@toolquake/sdk/core';
import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand, numberOf, textOf, type CommandArguments } from '../command.js';

/** A fault in a running proxy or service, for a while. */
export const inject = defineCommand({
  name: 'inject',
  summary: 'Injects a fault into a running proxy or service, from its next call on.',
  positionals: [{ name: 'FAULT', about: 'A name that "toolquake faults" lists; none with --config.', isOptional: true }],
  options: [
    ...ADMIN_OPTIONS,
    { flag: '--params', kind: 'text', value: 'JSON', about: 'Parameters of the fault, for example \'{"addedMs": 4000}\'.' },
    { flag: '--tool', kind: 'text', value: 'GLOB', about: 'Only calls of these tools.' },
    { flag: '--probability', kind: 'number', value: 'P', about: 'Share of the calls.', min: 0, max: 1 },
    {
      flag: '--config',
      kind: 'text',
      value: 'JSON',
      about: 'A fault config in camelCase or snake_case, or a file with one: for services.',
    },
    { flag: '--target', kind: 'text', value: 'NAME', about: 'What the service calls that which is to fail.' },
    { flag: '--duration', kind: 'number', value: 'SECONDS', about: 'How long it lives; default: 900.', min: 0.001, max: 2_147_483 },
  ],
  examples: [
    'toolquake inject latency --params \'{"addedMs": 4000}\' --tool "search_*" --url http://127.0.0.1:9901',
    'toolquake inject --target weather-api --config \'{"type": "latency", "delay_ms": 2000}\' --url http://127.0.0.1:8000',
  ],
  handle: async (given, io) => {
    const { options, positionals } = given;
    const fault = positionals['FAULT'];
    const target = textOf(options['target']);
    if (options['config'] !== undefined)
      return askProxy(given, io, { route: 'POST /chaos/inject', body: await requestOf(given) }, (answer) => `injected as ${idOf(answer)}`);
    if (fault === undefined)
      throw new ToolquakeError('BAD_ARGUMENT', { message: 'There is nothing to inject.', advice: 'Name a fault, or give a --config.' });
    const tool = textOf(options['tool']);
    const probability = numberOf(options['probability']);
    const seconds = numberOf(options['duration']);
    const body: JsonObject = {
      fault,
      ...(target === undefined ? {} : { target }),
      ...(options['params'] === undefined ? {} : { params: paramsOf(String(options['params'])) }),
      ...(tool === undefined ? {} : { when: { tool } }),
      ...(probability === undefined ? {} : { probability }),
      ...(seconds === undefined ? {} : { durationMs: Math.ceil(seconds * 1000) }),
    };
    return askProxy(given, io, { route: 'POST /chaos/inject', body }, (answer) => `injected ${fault} as ${idOf(answer)}`);
  },
});

/** Services answer in the casing that they were asked in. */
const idOf = (answer: JsonObject): string => String(answer['faultId'] ?? answer['fault_id']);

const NOT_WITH_CONFIG = ['params', 'tool', 'probability'] as const;

async function requestOf({ options, positionals }: CommandArguments): Promise<JsonObject> {
  const stranger = positionals['FAULT'] === undefined ? NOT_WITH_CONFIG.find((name) => options[name] !== undefined) : 'a FAULT';
  if (stranger !== undefined)
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `--config says everything about the fault, so ${stranger === 'a FAULT' ? stranger : `--${stranger}`} has no place beside it.`,
    });
  const { injectRequest } = await import('../../operations/inject-request.js');
  const seconds = numberOf(options['duration']);
  return injectRequest(await configOf(String(options['config'])), {
    target: textOf(options['target']),
    durationMs: seconds === undefined ? undefined : Math.ceil(seconds * 1000),
  });
}

async function configOf(given: string): Promise<unknown> {
  const isText = given.trimStart().startsWith('{');
  const { readPlanFile } = await import('../../config/plan-file.js');
  const text = isText ? given : await readPlanFile(given);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolquakeError('BAD_SYNTAX', { message: `--config${isText ? '' : ` ${given}`} is not JSON.`, cause });
  }
}

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
