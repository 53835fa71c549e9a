/** A key for "the same call again": tool and arguments in canonical order. For `at: { oncePer: args }`. */
import { frameObject, type Frame } from './frame.js';
import { isObject } from './message.js';

/** Equal for two calls of the same tool with equal arguments, whatever the order of the members. */
export function callKey(frame: Frame | undefined): string {
  const params = frame === undefined ? undefined : frameObject(frame)?.['params'];
  return isObject(params) ? `${String(params['name'])} ${canonicalJson(params['arguments'])}` : '';
}

/** Deeper than any real arguments; what lies below counts as equal, so that hostile nesting cannot exhaust the stack. */
const MAX_DEPTH = 256;

/** JSON with sorted keys. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > MAX_DEPTH) return '0';
  if (Array.isArray(value)) return `[${value.map((part) => canonicalJson(part, depth + 1)).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key], depth + 1)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
