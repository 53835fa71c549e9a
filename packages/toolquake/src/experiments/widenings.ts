/** After enough greens: what would teach something new, in the words of the experiment at hand. Pure. */
import type { Experiment } from '../core/experiment.js';
import { timeWord } from '../core/time-word.js';

/** A line each, the nearest step first. */
export function widenings({ actions, dose, limits, times }: Experiment, stage: number, actionWords: readonly string[]): readonly string[] {
  const percent = dose.ladder[stage - 1]!;
  const next = dose.ladder[stage];
  const lines: string[] = [];
  if (next !== undefined) lines.push(`The next dose: --stage ${stage + 1}, ${next} % instead of ${percent} %.`);
  else if (percent < 100) lines.push(`A larger dose: dose.ladder: [${[...dose.ladder, Math.min(100, percent * 2)].join(', ')}].`);
  const [first] = actions.filter(({ action }) => action !== 'wait');
  if (first === undefined) return [...lines, 'Another action: these only wait.'];
  const longer = first.forMs * 2;
  const wholeMs = times.beforeMs + actions.reduce((sum, { forMs }) => sum + forMs, 0) + first.forMs + times.afterMs;
  const limit = wholeMs > limits.maxRuntimeMs ? `, with limits.maxRuntime: ${timeWord(wholeMs)}` : '';
  lines.push(`A longer time: "${first.id}" for: ${timeWord(longer)} instead of ${timeWord(first.forMs)}${limit}.`);
  const used = new Set(actions.map(({ action }) => action));
  const others = actionWords.filter((word) => word !== 'wait' && !used.has(word)).toSorted();
  if (others.length > 0) {
    const [other] = others.toSorted((a, b) => kinship(b, first.action) - kinship(a, first.action));
    lines.push(
      `Another action: ${other} instead of ${first.action}.`,
      `A combination: ${first.action} and ${others.find((word) => word !== other) ?? other} at once.`,
    );
  }
  return lines;
}

/** Words in common: slow-dependency is the nearest to block-dependency. */
function kinship(one: string, other: string): number {
  const words = new Set(other.split('-'));
  return one.split('-').filter((word) => words.has(word)).length;
}
