/** `at` and `shape`: which matches may fire, and how firings are spread. State is per scope and bounded by the decider. */
import { assertNever } from './errors.js';
import type { At, Point, Shape } from './plan.js';
import type { DrawStream } from './random.js';

/** Index of the draws of one match: 0 decides, 1 moves the shape, the fault's own start at 2. */
export const DRAW_DECIDES = 0;
export const DRAW_MOVES_SHAPE = 1;
export const DRAW_FIRST_OF_FAULT = 2;

function isPast(point: Point, match: number, elapsedMs: number): boolean {
  return 'ms' in point ? elapsedMs >= point.ms : match > point.matches;
}

/** May match number `match` (from 1) fire? `isRecovered` is what `until: recovered` asks for. */
export function mayFire(at: At, match: number, elapsedMs: number, isRecovered: boolean): boolean {
  if (at.nth !== undefined && !at.nth.includes(match)) return false;
  if (at.every !== undefined && match % at.every !== 0) return false;
  if (at.first !== undefined && match > at.first) return false;
  if (at.after !== undefined && !isPast(at.after, match, elapsedMs)) return false;
  if (at.window !== undefined) {
    if (!isPast(at.window.from, match, elapsedMs) || isPast(at.window.to, match, elapsedMs)) return false;
  }
  if (at.until === 'recovered') return !isRecovered;
  return at.until === undefined || !isPast(at.until, match, elapsedMs);
}

/**
 * The parts of `at` that count matches, and those that look at the clock, apart: a byte stream is counted when it opens,
 * and its bytes are held against the clock for as long as it lives.
 */
export function splitByTime(at: At): { readonly counted: At; readonly timed: At } {
  const counted: { -readonly [Key in keyof At]: At[Key] } = { ...at };
  const timed: { after?: Point; until?: Point; window?: At['window'] & {} } = {};
  if (at.after !== undefined && 'ms' in at.after) {
    timed.after = at.after;
    delete counted.after;
  }
  if (typeof at.until === 'object' && 'ms' in at.until) {
    timed.until = at.until;
    delete counted.until;
  }
  if (at.window !== undefined && 'ms' in at.window.from && 'ms' in at.window.to) {
    timed.window = at.window;
    delete counted.window;
  }
  return { counted, timed };
}

/** Where a two-state chain (burst, episode) stands. */
export type ChainState = { isBad: boolean; moves: number; lastTask: string | undefined };

/** A chain that has not moved yet. */
export function startChain(): ChainState {
  return { isBad: false, moves: 0, lastTask: undefined };
}

/**
 * Moves a chain by one step. In the long run a share `rate` of steps is bad, in runs of `meanLength` on average:
 * the first step is bad with probability `rate`, a bad run ends with 1 / meanLength per step, and a new one starts
 * with rate / (meanLength (1 - rate)).
 */
export function moveChain(chain: ChainState, shape: { rate: number; meanLength: number }, stream: DrawStream): void {
  const draw = stream.draw(chain.moves, DRAW_MOVES_SHAPE);
  if (chain.moves === 0) chain.isBad = draw < shape.rate;
  else if (chain.isBad) chain.isBad = !(draw < 1 / shape.meanLength);
  else chain.isBad = shape.rate >= 1 || draw < shape.rate / (shape.meanLength * (1 - shape.rate));
  chain.moves++;
}

/** The probability that a match fires, given where the shape stands. */
export function probabilityNow(
  shape: Shape,
  probability: number,
  now: { chain: ChainState | undefined; match: number; elapsedMs: number },
): number {
  switch (shape.kind) {
    case 'iid':
      return probability;
    case 'burst':
    case 'episode':
      return now.chain?.isBad === true ? probability : 0;
    case 'ramp': {
      const progress = 'ms' in shape.over ? now.elapsedMs / shape.over.ms : (now.match - 1) / shape.over.matches;
      return probability * (shape.from + (shape.to - shape.from) * Math.min(1, Math.max(0, progress)));
    }
    default:
      return assertNever(shape);
  }
}
