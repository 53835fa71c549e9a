/** Which members the answers of a tool have had so far: the promise of a tool that promises nothing. */
import { membersIn, type DataPath } from './data-path.js';

/** Answers seen, and in how many of them each member was. */
export type LearntShape = { answers: number; readonly members: Map<string, number> };

const MAX_MEMBERS = 300;
const MAX_PATH_LENGTH = 200;

export const emptyShape = (): LearntShape => ({ answers: 0, members: new Map() });

/** Takes in the data of one answer. */
export function learnShape(shape: LearntShape, data: unknown): void {
  shape.answers++;
  for (const { path } of membersIn(data)) {
    const key = JSON.stringify(path);
    const known = shape.members.get(key);
    if (known === undefined && (shape.members.size >= MAX_MEMBERS || key.length > MAX_PATH_LENGTH)) continue;
    shape.members.set(key, (known ?? 0) + 1);
  }
}

/** Was the member in every answer so far? Undefined while there was none. */
export function wasAlwaysThere(shape: LearntShape, path: DataPath): boolean | undefined {
  return shape.answers === 0 ? undefined : shape.members.get(JSON.stringify(path)) === shape.answers;
}
