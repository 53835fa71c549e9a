/** Options of `smoke` that are more than a word. */
import { parseDuration, ToolquakeError } from '@toolquake/sdk/core';
import type { Canary } from '../core/expectation.js';
import { SMOKE_BUDGETS_MS, type SmokeBudgets } from '../gates/smoke/smoke-report.js';
import { parseCalls } from '../operations/parse-calls.js';
import { textOf, wordOf, type CommandArguments } from './command.js';

type Options = CommandArguments['options'];

/** The calls of the command line: any answer that is no error will do. */
export function canariesOf(options: Options): readonly Canary[] {
  const [call, given] = [textOf(options['call']), textOf(options['args'])];
  if (call === undefined && given === undefined) return [];
  const calls = call === undefined ? [] : parseCalls(call);
  if (given !== undefined && (calls.length !== 1 || call?.includes('{') === true)) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: '--args belongs to one --call that has no arguments itself.',
      advice: `For several: --call 'search {"q":"shoes"}' --call 'orders {"last":3}'.`,
    });
  }
  const all = given === undefined ? calls : parseCalls(`${call} ${given}`);
  return all.map(({ tool, arguments: values }) => ({ name: tool, tool, arguments: values, expect: {}, mayWrite: false }));
}

/** How long the server may take to be ready. */
export function waitOf(options: Options, isUrl: boolean): number {
  return durationOf('--wait', textOf(options['wait']) ?? (isUrl ? '15s' : '0s'), 0);
}

/** The budgets, with what `--budget` says about them. */
export function budgetsOf(options: Options): SmokeBudgets {
  const given = textOf(options['budget']);
  if (given === undefined) return SMOKE_BUDGETS_MS;
  const names = ['dial', 'hello', 'manifest', 'calls', 'auth', 'total'] as const satisfies readonly (keyof SmokeBudgets)[];
  const entries = given.split(/[;,]/).map((one) => {
    const [name = '', time = ''] = one.split('=').map((word) => word.trim());
    return [wordOf('The step of --budget', name, names), durationOf('--budget', time, 1)] as const;
  });
  return { ...SMOKE_BUDGETS_MS, ...Object.fromEntries(entries) };
}

function durationOf(flag: string, given: string, leastMs: number): number {
  const ms = parseDuration(given);
  if (ms !== undefined && ms >= leastMs) return ms;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${flag} must be a time, not "${given}".`,
    advice: 'Times look like "500ms", "10s" or "1m".',
  });
}
