/**
 * Translates the flat format: `seed` and `faults`, each with a `type` and its own fields. What each field means, and
 * what an empty `tools` means (all or none), is in docs/fault-names.md.
 */
import {
  describeValue,
  highestRate,
  isObject,
  member,
  suggest,
  type JsonObject,
  type PlanPath,
  type ValueReader,
} from '@toolquake/sdk/core';
import type { ImportedPlan, RuleSource } from './plan-format.js';

type Draft = { readonly [key: string]: unknown };

/** One type: its fields with defaults, what an empty `tools` means, and the native rule. */
type FlatType = {
  readonly numbers: { readonly [field: string]: number };
  /** Fields that the native check has something to say about, with their native places. */
  readonly natives?: { readonly [field: string]: string };
  readonly emptyTools: 'all' | 'none' | undefined;
  rule(numbers: { readonly [field: string]: number }): Draft;
};

/** What a server says that is overloaded; the original texts name the experiment, which an agent must not see. */
const failure = (message: string): Draft => ({ fault: 'error-response', params: { code: -32000, message } });

/** The original takes rates that no chain reaches, and then goes as high as it can. */
const chain = (rate = 0, meanLength = 1): Draft => ({ rate: Math.min(rate, highestRate(meanLength)), meanLength, scope: 'plan' });

const TYPES: ReadonlyMap<string, FlatType> = new Map<string, FlatType>([
  [
    'latency',
    {
      numbers: { added_ms: 250, jitter_ms: 0, probability: 1 },
      natives: { added_ms: 'params.addedMs', jitter_ms: 'params.jitterMs' },
      emptyTools: undefined,
      rule: (of) => ({ fault: 'latency', params: { addedMs: of['added_ms'], jitterMs: of['jitter_ms'] }, probability: of['probability'] }),
    },
  ],
  ['drop_tool', { numbers: {}, emptyTools: 'none', rule: () => ({ fault: 'drop-tool' }) }],
  [
    'schema_drift',
    { numbers: { probability: 1 }, emptyTools: 'all', rule: (of) => ({ fault: 'schema-drift', probability: of['probability'] }) },
  ],
  [
    'partial_result',
    { numbers: { probability: 1 }, emptyTools: 'all', rule: (of) => ({ fault: 'partial-result', probability: of['probability'] }) },
  ],
  ['registry_inconsistency', { numbers: {}, emptyTools: 'none', rule: () => ({ fault: 'registry-inconsistency' }) }],
  [
    'error_injection',
    { numbers: { rate: 0.02 }, emptyTools: 'all', rule: (of) => ({ ...failure('Internal error'), probability: of['rate'] }) },
  ],
  [
    'burst_error',
    {
      numbers: { rate: 0.02, burst_len: 8 },
      emptyTools: 'all',
      rule: (of) => ({ ...failure('Internal error'), shape: { burst: chain(of['rate'], of['burst_len']) } }),
    },
  ],
  [
    'server_degradation',
    {
      numbers: { episode_rate: 0.08, episode_len: 20 },
      emptyTools: 'none',
      rule: (of) => ({
        ...failure('Service unavailable'),
        shape: { episode: chain(of['episode_rate'], of['episode_len']) },
      }),
    },
  ],
]);

/** The words that `type` may be. */
export const FLAT_TYPES: readonly string[] = [...TYPES.keys()];

/** See the module comment. Problems go to the reader, with the paths of the original. */
export function importFlatPlan(reader: ValueReader, value: unknown): ImportedPlan | undefined {
  const given = reader.object(value, [], ['seed', 'faults']);
  const faults = given === undefined ? undefined : member(given, 'faults');
  if (given === undefined || faults === undefined) return undefined;
  if (!Array.isArray(faults)) return reader.report(['faults'], 'WRONG_TYPE', `faults must be a list, not ${describeValue(faults)}.`);
  const notes: string[] = [];
  const rules = faults.map((one: unknown, index) => importFault(reader, one, index, notes));
  const seed = member(given, 'seed');
  return {
    plan: { version: 1, ...(seed === undefined ? {} : { seed }), rules },
    sources: faults.map(sourceOf),
    notes,
  };
}

function sourceOf(fault: unknown, index: number): RuleSource {
  const path = ['faults', index];
  const type = isObject(fault) ? member(fault, 'type') : undefined;
  const natives = Object.entries((typeof type === 'string' ? TYPES.get(type)?.natives : undefined) ?? {});
  return { path, members: Object.fromEntries(natives.map(([field, native]) => [native, [...path, field]])) };
}

function importFault(reader: ValueReader, value: unknown, index: number, notes: string[]): Draft | undefined {
  const path = ['faults', index];
  if (!isObject(value)) return reader.report(path, 'WRONG_TYPE', `faults[${index}] must be a mapping, not ${describeValue(value)}.`);
  const type = member(value, 'type');
  if (type === undefined) return reader.report(path, 'MISSING_KEY', `faults[${index}] needs "type".`, `Allowed: ${FLAT_TYPES.join(', ')}.`);
  const flat = typeof type === 'string' ? TYPES.get(type) : undefined;
  if (flat === undefined || typeof type !== 'string') {
    const advice = suggest(typeof type === 'string' ? type : '', FLAT_TYPES);
    return reader.report([...path, 'type'], 'UNKNOWN_FAULT', `faults[${index}] has the unknown type ${describeValue(type)}.`, advice);
  }
  reader.object(value, path, ['type', ...Object.keys(flat.numbers), ...(flat.emptyTools === undefined ? [] : ['tools'])]);
  const numbers = Object.entries(flat.numbers).map(([field, fallback]): [string, number] => [
    field,
    readNumber(reader, value, path, field, fallback),
  ]);
  const toolsGiven = member(value, 'tools');
  const tools = toolsGiven === undefined || flat.emptyTools === undefined ? [] : (reader.names(toolsGiven, [...path, 'tools']) ?? []);
  const rule = flat.rule(Object.fromEntries(numbers));
  const why = whyOff(flat, tools, numbers);
  if (why === undefined) notes.push(...unreachedRates(`faults[${index}] (${type})`, Object.fromEntries(numbers)));
  if (why === undefined) return tools.length === 0 ? rule : { ...rule, when: { tool: tools } };
  notes.push(`faults[${index}] (${type}) does nothing: ${why}.`);
  return { ...rule, enabled: false };
}

/** Shares are checked here and not by the native rule, so that the message names the field that was written. */
function readNumber(reader: ValueReader, value: JsonObject, path: PlanPath, field: string, fallback: number): number {
  const given = member(value, field);
  if (given === undefined) return fallback;
  const isShare = field === 'probability' || field.endsWith('rate');
  const min = field.endsWith('_len') ? 1 : 0;
  return reader.number(given, [...path, field], isShare ? { min, max: 1 } : { min }) ?? fallback;
}

function whyOff(flat: FlatType, tools: readonly string[], numbers: readonly (readonly [string, number])[]): string | undefined {
  if (flat.emptyTools === 'none' && tools.length === 0) return 'it names no tools, which means none';
  const zero = numbers.find(([field, number]) => number === 0 && (field === 'probability' || field.endsWith('rate')));
  return zero === undefined ? undefined : `its ${zero[0]} is 0`;
}

function unreachedRates(fault: string, numbers: { readonly [field: string]: number }): readonly string[] {
  return [
    ['rate', 'burst_len'],
    ['episode_rate', 'episode_len'],
  ].flatMap(([field, length]) => {
    const rate = numbers[field!];
    const meanLength = numbers[length!];
    if (rate === undefined || meanLength === undefined || rate <= highestRate(meanLength)) return [];
    return [
      `${fault} cannot reach its ${field} of ${rate}: with a ${length} of ${meanLength} it is at most ${highestRate(meanLength).toPrecision(3)}.`,
    ];
  });
}
