/**
 * Translates the fault configs of mcp-chaos-monkey, in camelCase and snake_case: one config, one inject request
 * (target, config, durationMs), a list of either, or a scenario with `faults`. Its first-match rule is kept: on one
 * target a fault acts only after those before it have expired.
 */
import { bothCases, eitherCase, importConfig, nativeFields, type RuleDraft } from '@toolquake/sdk/controller';
import { describeValue, isObject, member, type JsonObject, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { ImportedPlan, RuleSource } from './plan-format.js';

/** See the module comment. Problems go to the reader, with the paths of the original. */
export function importFaultConfigs(reader: ValueReader, value: unknown): ImportedPlan | undefined {
  const found = requestsIn(reader, value);
  if (found === undefined) return undefined;
  const notes: string[] = [];
  const expiries = new Map<string, number>();
  const rules = found.map(({ value: one, path }) => importRequest(reader, one, path, { notes, expiries }));
  return { plan: { version: 1, rules }, sources: found.map(sourceOf), notes };
}

function sourceOf({ value, path }: Found): RuleSource {
  const inner = isObject(value) && isObject(member(value, 'config')) ? 'config' : undefined;
  const config = inner === undefined ? value : (value as JsonObject)[inner];
  if (!isObject(config)) return { path, members: {} };
  const natives = Object.entries(nativeFields(config));
  const where = inner === undefined ? path : [...path, inner];
  return { path, members: Object.fromEntries(natives.map(([field, native]) => [native, [...where, eitherCase(config, field).key]])) };
}

type Found = { readonly value: unknown; readonly path: PlanPath };

/** The requests and configs in a file, whichever way it wraps them. */
function requestsIn(reader: ValueReader, value: unknown, path: PlanPath = []): readonly Found[] | undefined {
  if (Array.isArray(value)) {
    const lists = value.map((one: unknown, index) =>
      isObject(one) && Object.hasOwn(one, 'faults') ? requestsIn(reader, one, [...path, index]) : [{ value: one, path: [...path, index] }],
    );
    return lists.flatMap((list) => list ?? []);
  }
  if (!isObject(value) || !Object.hasOwn(value, 'faults')) return [{ value, path }];
  reader.object(value, path, bothCases(['name', 'description', 'faults', 'expectedBehavior', 'assertions']));
  const { faults } = value;
  if (Array.isArray(faults)) return faults.map((one: unknown, index) => ({ value: one, path: [...path, 'faults', index] }));
  return reader.report([...path, 'faults'], 'WRONG_TYPE', `faults must be a list, not ${describeValue(faults)}.`);
}

/** About thirty years: what a time in a plan can say. */
const MAX_DURATION_MS = 999_999_999_999;

/** Shorter times cannot be written. */
const SHORTEST_MS = 0.000001;

/** A time as plans write it: no exponents, at most six decimals. */
const timeText = (ms: number): string => `${Number(ms.toFixed(6))}ms`;

type ImportState = { readonly notes: string[]; readonly expiries: Map<string, number> };

function importRequest(reader: ValueReader, value: unknown, path: PlanPath, state: ImportState): RuleDraft | undefined {
  const isRequest = isObject(value) && (Object.hasOwn(value, 'config') || Object.hasOwn(value, 'target'));
  if (!isRequest) return withTiming(importConfig(reader, value, path), { target: undefined, durationMs: undefined }, path, state);
  reader.object(value, path, bothCases(['target', 'config', 'durationMs']));
  const target = member(value, 'target') === undefined ? undefined : reader.text(value['target'], [...path, 'target']);
  const duration = eitherCase(value, 'durationMs');
  const durationMs =
    duration.value === undefined || duration.value === null
      ? undefined
      : reader.number(duration.value, [...path, duration.key], { min: 0, max: MAX_DURATION_MS, unit: 'ms' });
  const config = member(value, 'config');
  if (config === undefined)
    return reader.report(
      path,
      'MISSING_KEY',
      'A fault with a target needs "config".',
      'For example: config: { type: latency, delayMs: 2000 }',
    );
  return withTiming(importConfig(reader, config, [...path, 'config']), { target, durationMs }, path, state);
}

/** On one target only the first fault that has not expired acts. */
function withTiming(
  rule: RuleDraft | undefined,
  given: { target: string | undefined; durationMs: number | undefined },
  path: PlanPath,
  state: ImportState,
): RuleDraft | undefined {
  if (rule === undefined) return undefined;
  const { target, durationMs } = given;
  const key = target ?? '';
  const startsMs = state.expiries.get(key) ?? 0;
  state.expiries.set(key, Math.max(startsMs, durationMs ?? Infinity));
  const place =
    path.length === 0
      ? 'The fault'
      : `Fault ${path
          .filter((step) => typeof step === 'number')
          .map((step) => step + 1)
          .join('.')}`;
  const when = target === undefined ? {} : { when: { target } };
  if (durationMs !== undefined && durationMs < SHORTEST_MS) {
    state.notes.push(`${place} (${String(rule['fault'])}) does nothing: it lasts ${durationMs} ms.`);
    return { ...rule, ...when, enabled: false };
  }
  if (startsMs >= (durationMs ?? Infinity)) {
    const where = target === undefined ? 'everything' : `"${target}"`;
    state.notes.push(
      `${place} (${String(rule['fault'])}) does nothing: an earlier fault on ${where} lasts longer, and the first one wins.`,
    );
    return { ...rule, ...when, enabled: false };
  }
  if (rule['enabled'] === false) state.notes.push(`${place} (${String(rule['fault'])}) does nothing: it is switched off in its config.`);
  const at = {
    ...(startsMs > 0 ? { after: timeText(startsMs) } : {}),
    ...(durationMs === undefined ? {} : { until: timeText(durationMs) }),
  };
  return { ...rule, ...when, ...(Object.keys(at).length === 0 ? {} : { at }) };
}
