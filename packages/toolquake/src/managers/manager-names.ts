/** What may stand in a name that is handed to the command line of a process manager. */
import { ToolquakeError } from '@toolquake/sdk/core';
import type { ManagerSpec } from '../core/experiment.js';

type Named = 'pm2' | 'systemd' | 'docker';

/** The first character is a letter or a digit, so that no name is taken for an option. */
const PATTERNS: Readonly<Record<Named, RegExp>> = {
  pm2: /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,99}$/,
  systemd: /^[A-Za-z0-9][A-Za-z0-9_.:@-]{0,199}$/,
  docker: /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/,
};

/** PM2 takes these for all processes, and numbers for ids. */
const isPm2Selector = (name: string): boolean => name === 'all' || /^\d+$/.test(name);

/** Why a name is refused; nothing when it may be used. */
export function nameRefusal(kind: Named, name: unknown): string | undefined {
  if (typeof name !== 'string' || !PATTERNS[kind].test(name)) {
    return 'letters, digits and _ . : @ - only, beginning with a letter or a digit';
  }
  if (kind === 'pm2' && isPm2Selector(name)) return 'PM2 takes this word for more than one process, or for an id: name the process';
  return undefined;
}

/** The name, or `BAD_ARGUMENT`. */
export function checkedName(kind: Named, name: unknown): string {
  const refusal = nameRefusal(kind, name);
  if (refusal === undefined) return String(name);
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `The name of the ${kind} process is refused: ${refusal}.`,
    advice: 'For example: demo-server',
  });
}

/** A manager as it was written into a ledger; nothing when it is not one. */
export function readManagerSpec(value: unknown): ManagerSpec | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  const spec = value as { readonly kind: unknown; readonly name?: unknown; readonly pid?: unknown; readonly command?: unknown };
  switch (spec.kind) {
    case 'pm2':
    case 'systemd':
    case 'docker':
      return nameRefusal(spec.kind, spec.name) === undefined ? { kind: spec.kind, name: String(spec.name) } : undefined;
    case 'pid':
      return Number.isSafeInteger(spec.pid) && Number(spec.pid) > 1 ? { kind: 'pid', pid: Number(spec.pid) } : undefined;
    case 'command':
      return Array.isArray(spec.command) && spec.command.length > 0 && spec.command.every((word) => typeof word === 'string')
        ? { kind: 'command', command: spec.command }
        : undefined;
    case 'own':
      return { kind: 'own' };
    default:
      return undefined;
  }
}
