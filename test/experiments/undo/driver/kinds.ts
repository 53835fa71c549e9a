/** Ways of undoing for the driver: files, children, and undos that misbehave. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { defineUndo } from '../../../../packages/toolquake/src/core/undo-step.js';
export { endProcess } from '../../../../packages/toolquake/src/undo/steps/index.js';

const pathOf = (data: { readonly [key: string]: unknown }): string => String(data['path']);

/** Puts the text of a file back; without a text the file was not there. */
export const restoreText = defineUndo({
  kind: 'restore-text',
  summary: 'Puts the text of a file back.',
  async undo(data) {
    if (typeof data['text'] === 'string') writeFileSync(pathOf(data), data['text']);
    else rmSync(pathOf(data), { force: true });
  },
  async verify(data) {
    const now = existsSync(pathOf(data)) ? readFileSync(pathOf(data), 'utf8') : undefined;
    if (now === (data['text'] ?? undefined)) return { is: 'undone', proof: 'the text is as it was' };
    return { is: 'not-undone', why: `the text is ${JSON.stringify(now)}` };
  },
});

/** Says that it worked while the world says otherwise, unless the file "truth" lies beside it. */
export const lie = defineUndo({
  kind: 'lie',
  summary: 'Claims to have undone.',
  async undo() {},
  async verify(data) {
    return existsSync(`${pathOf(data)}.truth`) ? { is: 'undone', proof: 'told the truth' } : { is: 'not-undone', why: 'it lied' };
  },
});

/** Fails. */
export const fail = defineUndo({
  kind: 'fail',
  summary: 'Fails.',
  async undo() {
    throw new Error('this undo is broken');
  },
  async verify() {
    return { is: 'not-undone', why: 'still there' };
  },
});
