/** What was done and what became of it: actions, the time each was in effect, and the proof that it is gone. */
import type { RunEntry } from '../../core/run-entry.js';
import { clipped } from '../digest/bounded-map.js';

type Entry<Kind extends RunEntry['kind']> = Extract<RunEntry, { kind: Kind }>;

/** How far an action came. `planned`: nothing was heard of it. */
export type ActionState = Entry<'action'>['state'] | 'planned';

/** One action. */
export type ActionRecord = {
  readonly id: string;
  readonly action: string;
  readonly blast: string;
  readonly about: string;
  readonly state: ActionState;
  readonly detail: string | undefined;
  /** It began to be made: from then on it may be there, even if nothing more is heard of it. */
  readonly begunMs: number | undefined;
  /** Made, and not known to have failed. Undefined: never. */
  readonly onMs: number | undefined;
  /** Its effect was seen at this moment. */
  readonly seenMs: number | undefined;
  /** Taken back. Undefined: not, as far as the journal goes. */
  readonly offMs: number | undefined;
};

/** One undo. */
export type UndoRecord = Omit<Entry<'undo'>, 'kind'>;

/** For each change, what came of it last. */
export function lastWords(undos: readonly UndoRecord[]): readonly UndoRecord[] {
  const latest = new Map<string, UndoRecord>();
  for (const undo of undos) latest.set(JSON.stringify([undo.id, undo.name]), undo);
  return [...latest.values()];
}

/** The undos that are not proved. */
export const notUndone = (undos: readonly UndoRecord[]): readonly UndoRecord[] =>
  lastWords(undos).filter(({ state }) => state === 'not-undone');

type Row = { -readonly [Key in keyof ActionRecord]: ActionRecord[Key] };

/** More actions than these no file has. */
const MAX_ACTIONS = 60;
const MAX_UNDOS = 200;

/** Nothing was done yet. */
export type FaultBook = {
  plan(actions: Entry<'experiment'>['actions']): void;
  addAction(entry: Entry<'action'>): void;
  addUndo(entry: Entry<'undo'>): void;
  actions(): readonly ActionRecord[];
  undos(): readonly UndoRecord[];
};

/** Made, and at work. */
const AT_WORK: readonly ActionState[] = ['applied', 'in-effect'];

/** See the type. */
export function createFaultBook(): FaultBook {
  const rows = new Map<string, Row>();
  const undos: UndoRecord[] = [];
  const rowOf = (id: string, about: Pick<Row, 'action' | 'blast' | 'about'>): Row | undefined => {
    const held = rows.get(clipped(id));
    if (held !== undefined || rows.size >= MAX_ACTIONS) return held;
    const row: Row = {
      id: clipped(id),
      action: clipped(about.action),
      blast: clipped(about.blast),
      about: clipped(about.about),
      state: 'planned',
      detail: undefined,
      begunMs: undefined,
      onMs: undefined,
      seenMs: undefined,
      offMs: undefined,
    };
    rows.set(row.id, row);
    return row;
  };
  return {
    plan(actions) {
      for (const { id, ...about } of actions) rowOf(id, about);
    },
    addAction({ atMs, id, action, state, detail }) {
      const row = rowOf(id, { action, blast: 'unknown', about: '' });
      if (row === undefined) return;
      row.state = state;
      if (detail !== undefined) row.detail = clipped(detail);
      if (state === 'applying' || AT_WORK.includes(state)) row.begunMs ??= atMs;
      if (AT_WORK.includes(state)) row.onMs ??= atMs;
      if (state === 'in-effect') row.seenMs ??= atMs;
    },
    addUndo({ kind: _kind, ...undo }) {
      const kept = { ...undo, id: clipped(undo.id), name: clipped(undo.name), proof: clipped(undo.proof) };
      // What is not undone is never left out: it takes the place of one that is.
      const place = undos.length < MAX_UNDOS || kept.state !== 'not-undone' ? -1 : undos.findIndex(({ state }) => state !== 'not-undone');
      if (place !== -1) undos.splice(place, 1);
      if (undos.length < MAX_UNDOS) undos.push(kept);
      const row = rows.get(kept.id);
      if (row !== undefined && undo.state !== 'not-undone') row.offMs = Math.max(row.offMs ?? 0, undo.atMs);
    },
    actions: () => [...rows.values()].map((row) => ({ ...row })),
    undos: () => [...undos],
  };
}
