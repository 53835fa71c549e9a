/** A fault config as JSON has it, checked: in camelCase as TypeScript writes it, or in snake_case as Python does. */
import { createValueReader } from '../core/check-value.js';
import { ToolquakeError } from '../core/errors.js';
import { readConfig, ruleOfConfig, type RuleDraft } from './fault-config.js';

/** A fault by name, as mcp-chaos-monkey and its JSON Schemas have it. Times are in milliseconds. */
export type FaultConfig =
  | { type: 'latency'; delayMs: number; probability?: number }
  | { type: 'error'; statusCode: number; message?: string; probability?: number }
  | { type: 'timeout'; hangMs: number; probability?: number }
  | { type: 'malformed'; corruptResponse: boolean; probability?: number }
  | { type: 'connection-refused'; probability?: number }
  | { type: 'connection-drop'; afterMs?: number; probability?: number }
  | { type: 'rate-limit'; retryAfterSeconds: number; probability?: number }
  | { type: 'schema-mismatch'; missingFields: string[]; probability?: number };

/** What a field is where it was not given. */
const DEFAULTS: { readonly [type: string]: object } = { malformed: { corruptResponse: true }, 'schema-mismatch': { missingFields: [] } };

/** The config in camelCase, with its defaults. Throws a `ToolquakeError` that names the field, as the caller spelled it. */
export function parseFaultConfig(value: unknown): FaultConfig {
  const { type, values, probability } = requireConfig(value);
  const share = probability === undefined ? {} : { probability };
  // The reader has checked every field of this type, and no other is there.
  return { type, ...DEFAULTS[type], ...values, ...share } as FaultConfig;
}

/** The native rule of a config: for `run.use` and `run.inject`. */
export function ruleOfFaultConfig(config: unknown, target?: string): RuleDraft {
  const rule = ruleOfConfig(requireConfig(config));
  return target === undefined ? rule : { ...rule, when: { target } };
}

function requireConfig(value: unknown): NonNullable<ReturnType<typeof readConfig>> {
  const reader = createValueReader();
  const read = readConfig(reader, value, ['config']);
  const [problem] = reader.problems;
  if (problem !== undefined || read === undefined) throw new ToolquakeError(problem?.code ?? 'WRONG_TYPE', problem ?? { message: '' });
  return read;
}
