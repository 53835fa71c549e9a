/** What `bench` is to measure: targets, commands after `--`, or a file of samples. */
import { statSync } from 'node:fs';
import { ToolquakeError } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from '../config/configured-target.js';
import type { BenchCall } from '../gates/latency/measure.js';
import type { CapturedRun } from '../gates/latency/sample-book.js';
import { parseCalls } from '../operations/parse-calls.js';
import { textOf, type CommandArguments } from './command.js';
import { targetsOf } from './targets.js';

/** A candidate, and what it is held against. */
export type Compared = { readonly candidate: ConfiguredTarget; readonly baseline: ConfiguredTarget | { readonly path: string } };

/** The two sides that a command line names. */
export async function comparedOf(args: CommandArguments): Promise<Compared> {
  const [first, ...others] = args.words;
  const commands = commandsOf(args.rest);
  const count = args.words.length + commands.length;
  if (count !== 2) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `A comparison needs a baseline and a candidate, and here ${count === 1 ? 'is 1' : `are ${count}`} of the two.`,
      advice: 'For example: toolquake bench compare BASELINE_URL URL --call TOOL, or: bench compare --call TOOL -- BASELINE_CMD -- CMD.',
    });
  }
  if (first !== undefined && isFile(first)) {
    const [candidate] = await targetsOf({ ...args, words: others, rest: commands[0] ?? [] });
    return { baseline: { path: first }, candidate: candidate! };
  }
  const named = args.words.length === 0 ? [] : await targetsOf({ ...args, rest: [] });
  const started: ConfiguredTarget[] = [];
  for (const rest of commands) started.push(...(await targetsOf({ ...args, words: [], rest })));
  const [baseline, candidate] = [...named, ...started];
  return { baseline: baseline!, candidate: candidate! };
}

/** A URL is no file; a name may be one only when it ends like one. */
const isFile = (word: string): boolean =>
  !/^https?:\/\//i.test(word) && (/\.jsonl?$/i.test(word) || statSync(word, { throwIfNoEntry: false })?.isFile() === true);

/** `-- A -- B` are two commands; a command that holds `--` itself is better described in toolquake.yaml. */
function commandsOf(rest: readonly string[]): readonly (readonly string[])[] {
  if (rest.length === 0) return [];
  const at = rest.indexOf('--');
  const commands = at === -1 ? [rest] : [rest.slice(0, at), rest.slice(at + 1)];
  if (commands.every((command) => command.length > 0) && !commands.at(-1)!.includes('--')) return commands;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: 'It is not clear where the first command ends: "--" stands there more than twice, or with nothing beside it.',
    advice: 'Describe servers whose commands hold "--" as targets in toolquake.yaml, and name them.',
  });
}

/** What to call: as the command line says, else as the baseline file says, else the canaries of the candidate. */
export function callsOf(
  { options }: CommandArguments,
  candidate: ConfiguredTarget,
  runs: readonly CapturedRun[] = [],
): readonly BenchCall[] {
  const given = textOf(options['call']);
  if (given !== undefined) return parseCalls(given);
  const captured = runs.at(-1)?.start.calls ?? [];
  const [secret] = captured.filter((call) => call.arguments === undefined);
  if (secret !== undefined) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `The arguments of ${secret.tool} held a secret and were not written down with the baseline.`,
      advice: 'Give the calls again, with --call.',
    });
  }
  if (captured.length > 0) return captured.map((call) => ({ tool: call.tool, arguments: call.arguments ?? {} }));
  const canaries = new Map(candidate.plan.canaries.map((canary) => [canary.tool, canary]));
  if (canaries.size > 0) return [...canaries.values()].map((canary) => ({ tool: canary.tool, arguments: canary.arguments }));
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `There is nothing to call: no --call, and no canaries for ${candidate.target.name} in toolquake.yaml.`,
    advice: `For example: --call 'search {"q":"shoes"}'. Choose calls that change nothing: each is made hundreds of times.`,
  });
}
