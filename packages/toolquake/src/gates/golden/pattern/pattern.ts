/** Runs patterns as an automaton: all ways at once, one step per character. No pattern and no text can make it slow. */
import { parsePattern, PatternRefusal, type PatternNode, type Place } from './parse.js';

/** Says whether the pattern stands anywhere in a text. */
export type Pattern = { readonly test: (text: string) => boolean };

type Step =
  | { readonly kind: 'one'; readonly test: (character: string) => boolean }
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'fork'; readonly ways: number[] }
  | { readonly kind: 'found' };

/** Steps of an automaton; work is this times the length of the text. */
const MAX_STEPS = 2000;
/** Longer texts are cut: a pattern is about an answer, not about a download. */
export const MAX_SEARCHED = 100_000;

/** Compiles, or throws a `PatternRefusal`. */
export function compilePattern(source: string): Pattern {
  const steps: Step[] = [];
  let emitted = 0;
  const add = (step: Step): number => steps.push(step) - 1;
  const emit = (node: PatternNode): void => {
    if (++emitted > MAX_STEPS || steps.length > MAX_STEPS) throw new PatternRefusal('it is too large when its repetitions are written out');
    switch (node.kind) {
      case 'one':
      case 'place':
        add(node);
        return;
      case 'all':
        node.parts.forEach(emit);
        return;
      case 'either': {
        const fork: Step = { kind: 'fork', ways: [] };
        add(fork);
        const ends = node.parts.map((part) => {
          fork.ways.push(steps.length);
          emit(part);
          const end: Step = { kind: 'fork', ways: [] };
          add(end);
          return end;
        });
        for (const end of ends) end.ways.push(steps.length);
        return;
      }
      case 'repeat':
        emitRepeat(node);
    }
  };
  const emitRepeat = ({ part, min, max }: PatternNode & { readonly kind: 'repeat' }): void => {
    for (let count = 0; count < min; count++) emit(part);
    if (max === Infinity) {
      const fork: Step = { kind: 'fork', ways: [] };
      const start = add(fork);
      fork.ways.push(steps.length);
      emit(part);
      add({ kind: 'fork', ways: [start] });
      fork.ways.push(steps.length);
      return;
    }
    const forks: (Step & { readonly kind: 'fork' })[] = [];
    for (let count = min; count < max; count++) {
      const fork: Step = { kind: 'fork', ways: [] };
      forks.push(fork);
      add(fork);
      fork.ways.push(steps.length);
      emit(part);
    }
    for (const fork of forks) fork.ways.push(steps.length);
  };
  emit(parsePattern(source));
  add({ kind: 'found' });
  return { test: (text) => run(steps, Array.from(text.slice(0, MAX_SEARCHED))) };
}

function run(steps: readonly Step[], text: readonly string[]): boolean {
  // Marks of the position at which a step was last reached: no set to clear for each character.
  const reached = new Int32Array(steps.length).fill(-1);
  let now: number[] = [];
  for (let at = 0; at <= text.length; at++) {
    const ready: number[] = [];
    // The pattern may begin anywhere, so its first step is taken before every character.
    const open = [...now, 0];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (reached[index] === at) continue;
      reached[index] = at;
      const step = steps[index]!;
      if (step.kind === 'found') return true;
      if (step.kind === 'fork') for (const way of step.ways) open.push(way);
      else if (step.kind === 'one') ready.push(index);
      else if (holds(step.place, text, at)) open.push(index + 1);
    }
    const character = text[at];
    if (character === undefined) return false;
    now = ready.flatMap((index) => {
      const step = steps[index]!;
      return step.kind === 'one' && step.test(character) ? [index + 1] : [];
    });
  }
  return false;
}

const isWord = (character: string | undefined): boolean => character !== undefined && /^\w$/.test(character);

function holds(place: Place, text: readonly string[], at: number): boolean {
  if (place === 'start') return at === 0;
  if (place === 'end') return at === text.length;
  return (isWord(text[at - 1]) !== isWord(text[at])) === (place === 'edge');
}
