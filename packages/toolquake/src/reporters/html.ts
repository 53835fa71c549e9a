import type { Digest } from './journal-digest.js';
export function renderHtml(_digest: Digest, _context: { readonly subject: string }): string {
  return '<!doctype html>';
}
