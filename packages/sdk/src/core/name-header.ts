/**
 * The `Mcp-Name` header of modern HTTP requests. It repeats the tool that the body names, and a server refuses the
 * request when the two differ: whoever edits the body has to edit the header too.
 */
import { frameHead, type Frame } from './frame.js';

/** Its name, in lower case. */
export const NAME_HEADER = 'mcp-name';

const PLAIN = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED = /^=\?base64\?.*\?=$/;

/** A name as an `Mcp-*` header can carry it: as it is, or encoded where HTTP could not carry it, or where it looks encoded. */
export function nameHeaderValue(name: string): string {
  if (PLAIN.test(name) && !ENCODED.test(name)) return name;
  return `=?base64?${btoa(Array.from(new TextEncoder().encode(name), (byte) => String.fromCharCode(byte)).join(''))}?=`;
}

/** What the header has to say once the body is another; undefined when that does not concern it. */
export function changedNameHeader(original: Frame, edited: Frame): string | undefined {
  const { tool } = frameHead(edited);
  return tool === undefined || tool === frameHead(original).tool ? undefined : nameHeaderValue(tool);
}
