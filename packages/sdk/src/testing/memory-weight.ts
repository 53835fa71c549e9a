/** Members that lead out of a fault's memory into the decider's own books, which have bounds of their own. */
const NOT_OURS: ReadonlySet<string> = new Set(['session', 'engagements', 'handle']);

/** Roughly how many bytes a fault's memory keeps alive, sessions left out. Never overflows the stack. */
export function memoryWeight(memory: unknown): number {
  const seen = new Set<object>();
  const queue: unknown[] = [memory];
  let bytes = 0;
  while (queue.length > 0) {
    const value = queue.pop();
    if (typeof value === 'string') bytes += 2 * value.length;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    bytes += 16;
    if (value instanceof Uint8Array) bytes += value.byteLength;
    else if (value instanceof Map) for (const [key, part] of value) queue.push(key, part);
    else if (value instanceof Set) queue.push(...value);
    else {
      for (const [name, part] of Object.entries(value)) {
        bytes += 16;
        if (!NOT_OURS.has(name)) queue.push(part);
      }
    }
  }
  return bytes;
}
