/** What `toolquake task` says when its agent has ended. */
import { duration, figure, grouped, nullsFor } from './figures.js';
import type { TaskRecord } from './digest/task-book.js';
import type { Digest } from './journal-digest.js';
import { endText } from './task-rows.js';

/** One line of JSON, and lines for people. */
export function taskSummary(
  { tasks }: Digest,
  { task, directory }: { readonly task: string; readonly directory: string },
): { readonly json: string; readonly lines: readonly string[] } {
  const record = tasks?.list.find(({ name, exit }) => name === task && exit !== undefined);
  if (record === undefined)
    return { json: JSON.stringify({ kind: 'task', task, runDirectory: directory }), lines: [`journals in ${directory}`] };
  const { calls, failed, faulted, operations, unrecovered, lastsMs, exit, labels } = record;
  const about = { calls, operations, failed, faulted, unrecovered, lastsMs, exitCode: exit?.exitCode, signal: exit?.signal };
  const where = labels.length === 0 ? '' : ` to ${labels.join(', ')}`;
  return {
    json: JSON.stringify({ kind: 'task', task, runDirectory: directory, servers: labels, ...nullsFor(about) }),
    lines: [
      `task ${task}: ${endText(record)} after ${duration(lastsMs)}`,
      ...(calls === 0
        ? ['  no proxy wrote a call: see docs/tasks.md for agents that start servers with an environment of their own']
        : [
            `  calls       ${grouped(calls)}${where}: ${grouped(failed)} failed, ${grouped(faulted)} met a fault`,
            `  operations  ${operationsText(record)}`,
          ]),
      `  journals    ${directory}`,
      `  report      toolquake report ${directory}`,
    ],
  };
}

function operationsText({ operations, unrecovered, measures }: TaskRecord): string {
  if (operations === undefined || unrecovered === undefined) return 'n/a';
  const ended = unrecovered === 0 ? 'all got a correct answer' : `${grouped(unrecovered)} never got a correct answer`;
  return `${grouped(operations)}: ${ended}, ${figure(measures.retryAmplification, 2)} calls each`;
}
