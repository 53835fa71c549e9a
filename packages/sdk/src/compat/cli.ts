/** The commands of mcp-chaos-monkey on the controller of this process. Another process is reached by `toolquake inject --url`. */
import { CONFIG_TYPES } from '../controller/fault-config.js';
import type { FaultConfig } from '../controller/parse-fault-config.js';
import { ChaosController } from './controller.js';
import { assertChaosAllowed } from './guard.js';

type Words = { readonly command: string; readonly positional: readonly string[]; readonly flags: ReadonlyMap<string, string> };
type Output = { write(text: string): unknown };

/** Asked for at every line, so that a stream that was replaced since is the one that is written to. */
const streams = (): { readonly stdout: Output; readonly stderr: Output } =>
  (globalThis as unknown as { process: { stdout: Output; stderr: Output } }).process;
const print = (line: string): void => void streams().stdout.write(`${line}\n`);

const USAGE = [
  'Usage:',
  '  mcp-chaos inject <target> <type> [--status N] [--delay N] [--duration N]',
  '  mcp-chaos clear <faultId>',
  '  mcp-chaos clear-all',
  '  mcp-chaos status',
  '',
  `Fault types: ${CONFIG_TYPES.join(', ')}`,
  'Targets: any string (e.g. weather-api, redis, oauth-token)',
];

/** Runs one command. Returns what its exit code should be: 0, or 2 where the words make no sense and nothing was done. */
export function runCli(argv: string[]): number {
  assertChaosAllowed();
  const words = parseWords(argv);
  switch (words.command) {
    case 'inject':
      return inject(words);
    case 'clear':
      return clear(words);
    case 'clear-all':
      ChaosController.getInstance().clearAll();
      print('All faults cleared');
      return 0;
    case 'status':
      return status();
    default:
      return usage();
  }
}

function usage(): number {
  for (const line of USAGE) print(line);
  return 2;
}

function parseWords([command = '', ...rest]: readonly string[]): Words {
  const positional: string[] = [];
  const flags = new Map<string, string>();
  for (let index = 0; index < rest.length; index++) {
    const word = rest[index]!;
    if (!word.startsWith('--')) positional.push(word);
    else {
      const next = rest[index + 1];
      const hasValue = next !== undefined && !next.startsWith('--');
      flags.set(word.slice(2), hasValue ? next : 'true');
      if (hasValue) index++;
    }
  }
  return { command, positional, flags };
}

function inject({ positional: [target, type], flags }: Words): number {
  if (!target || !type) return usage();
  if (!CONFIG_TYPES.includes(type)) {
    print(`Invalid fault type: ${type}`);
    return 2;
  }
  const config = configOf(type, flags);
  const duration = flags.get('duration');
  const seconds = Number(duration);
  if (duration !== undefined && !(Number.isFinite(seconds) && seconds >= 0)) {
    streams().stderr.write(`--duration must be a non-negative number, got '${duration}'\n`);
    return 2;
  }
  const id = ChaosController.getInstance().inject(target, config, duration === undefined ? undefined : seconds * 1000);
  print(`Injected fault: ${id}`);
  return 0;
}

function configOf(type: string, flags: Words['flags']): FaultConfig {
  const number = (name: string, otherwise: number): number => {
    const given = flags.get(name);
    if (given === undefined) return otherwise;
    const value = Number(given);
    if (Number.isFinite(value) && value >= 0) return value;
    throw new Error(`--${name} must be a non-negative number, got '${given}'`);
  };
  // Read whatever the type, so that a wrong one is never passed over.
  const statusCode = number('status', 503);
  const delayMs = number('delay', 1000);
  const retryAfterSeconds = number('retry-after', 60);
  const fields = flags.get('fields') ?? '';
  switch (type) {
    case 'latency':
      return { type, delayMs };
    case 'error':
      return { type, statusCode };
    case 'timeout':
      return { type, hangMs: delayMs };
    case 'malformed':
      return { type, corruptResponse: true };
    case 'rate-limit':
      return { type, retryAfterSeconds };
    case 'schema-mismatch':
      return { type, missingFields: fields === '' ? [] : fields.split(',') };
    default:
      // The caller has checked that it is one of the list, and the others have no fields.
      return { type: type as 'connection-refused' | 'connection-drop' };
  }
}

function clear({ positional: [faultId] }: Words): number {
  if (!faultId) {
    print('Usage: mcp-chaos clear <faultId>');
    return 2;
  }
  if (!ChaosController.getInstance().clear(faultId)) {
    print(`No active fault: ${faultId}`);
    return 2;
  }
  print(`Cleared fault: ${faultId}`);
  return 0;
}

function status(): number {
  const faults = ChaosController.getInstance().getActiveFaults();
  print(faults.length === 0 ? 'No active faults' : `Active faults (${faults.length}):`);
  for (const { id, target, type, requestCount } of faults) print(`  ${id} → ${target} [${type}] (${requestCount} requests)`);
  return 0;
}
