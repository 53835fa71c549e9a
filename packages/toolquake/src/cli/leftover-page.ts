/** Leftovers as people read them. */
import type { UndoOutcome } from '../core/undo-step.js';
import type { Leftover } from '../undo/leftovers.js';
import { renderTable } from './terminal.js';

const STATES = {
  running: 'running',
  undoing: 'its warden is undoing it',
  elsewhere: 'runs elsewhere, or did',
  dead: 'ended without undoing',
  unknown: 'cannot be known',
} as const satisfies Readonly<Record<Leftover['state'], string>>;

/** One run: how it stands, what is open, and why it was not undone. */
export function leftoverText(one: Leftover, width: number): string {
  const head = [one.runId, STATES[one.state], ...(one.startedAt === undefined ? [] : [`since ${one.startedAt}`])].join(', ');
  const rows = one.openSteps.map(({ step, action, name, why }) => [String(step), action, why === undefined ? name : `${name} (${why})`]);
  const problem = one.problem === undefined ? '' : `  ${one.problem}\n`;
  return `${head}\n${problem}${renderTable(rows, { width, indent: 2 })}`;
}

/** One line for each step that was undone, or was not. */
export function outcomeText(outcomes: readonly UndoOutcome[], width: number): string {
  const rows = outcomes.map(({ name, state }) => [
    state.is,
    state.is === 'not-undone' ? `${name}: ${state.why}` : `${name}: ${state.proof}`,
  ]);
  return renderTable(rows, { width, indent: 2 });
}
