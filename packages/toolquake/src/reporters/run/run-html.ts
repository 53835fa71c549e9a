/** placeholder */
import type { ConsoleContext } from '../console.js';
import type { RunDigest } from './run-digest.js';
export const renderRunHtml = (_digest: RunDigest, _context: ConsoleContext): string => '';
