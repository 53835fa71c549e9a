/** Tasks of live runs: how they were told apart, what they measure, and what a plan expected of that. */
import type { Digest } from '../journal-digest.js';
import { expectationText, measureNote, TASK_END, TASK_HEAD, TASK_WORDS, taskFailed, taskRows, tasksLead } from '../task-rows.js';
import { many } from '../figures.js';
import { measureTables } from '../measure-table.js';
import { lead, sheet, type Section, type TableCell } from './markup.js';

/** The section; empty where there are no live calls. */
export function taskSection({ tasks }: Digest): Section {
  if (tasks === undefined) return { id: 'tasks', title: 'Tasks', body: '' };
  const rows = taskRows(tasks).map((row, index): TableCell[] =>
    row.map((text, column) => (column === TASK_END && taskFailed(tasks.list[index]!) ? { text, class: 'never' } : text)),
  );
  const expected = tasks.expectations.map((one): TableCell[] => [
    expectationText(one),
    one.holds ? 'holds' : { text: 'broken', class: 'never' },
  ]);
  const body = [
    lead(tasksLead(tasks)),
    sheet({ caption: 'Expected', head: ['expected by the plan', ''], rows: expected, text: [1] }),
    ...measureTables(tasks).map(({ head, rows: values }) => sheet({ caption: 'Measures', head, rows: values, text: [1] })),
    lead(measureNote(tasks)),
    sheet({ caption: 'Tasks', head: TASK_HEAD, rows, text: TASK_WORDS }),
    tasks.count > tasks.list.length ? lead(`The first ${tasks.list.length} of ${many(tasks.count, 'task')}.`) : '',
  ].join('');
  return { id: 'tasks', title: 'Tasks', body };
}
