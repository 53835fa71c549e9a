/** The task that the headers of an HTTP request name. */
import { baggageTask, TASK_HEADER } from '../core/call-hints.js';
import type { Plan } from '../core/plan.js';

/** See the module comment; undefined when they name none. */
export function taskOf(headers: { get(name: string): string | null }, { task }: Plan): string | undefined {
  return headers.get(task.header ?? TASK_HEADER) ?? baggageTask(headers.get('baggage'));
}
