/** A value of a server as a few letters without secrets. */
import { writableValue } from '@toolquake/sdk/core';
import { redactValue } from '../../recordings/redact.js';

const MAX_SHOWN = 160;

/** For messages. */
export function shown(value: unknown): string {
  const clean = redactValue(value);
  const written = writableValue(typeof clean === 'object' && clean !== null ? JSON.stringify(clean) : clean);
  const text = typeof written === 'string' ? JSON.stringify(written) : String(written);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
