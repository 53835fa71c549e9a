/** Slowing by the kernel: netem below a queue of our own, so that only what goes to the dependency is slow. Pure, but for reading. */
import { isIPv6 } from 'node:net';
import type { NamespaceFacts } from './namespace.js';
import { mustRun } from './trusted-command.js';

const INTERFACE = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/;
const HANDLE = /^[1-9a-f][0-9a-f]{0,3}:$/;

/** The name of a network interface out of parameters or undo data. */
export function readInterface(value: unknown): string {
  if (typeof value === 'string' && INTERFACE.test(value)) return value;
  throw new Error('The network interface is none: letters, digits, "_", "." and "-", 15 at most.');
}

/** A handle out of undo data: `3be:`. */
export function readHandle(value: unknown): string {
  if (typeof value === 'string' && HANDLE.test(value) && value !== 'ffff:') return value;
  throw new Error('The handle in the undo data is none of ours: no queue is deleted by it.');
}

/** A handle for one change, from the drawn half of the name of the change. Never 0, which is the kernel's, nor ffff. */
export const handleOf = (chain: string): string => `${((Number.parseInt(chain.slice(-4), 16) % 0xff_fd) + 1).toString(16)}:`;

/** The queues of an interface, in text that stays the same as long as they do. */
export async function readQueues(dev: string, namespace: NamespaceFacts | undefined, signal?: AbortSignal): Promise<string> {
  const text = await mustRun({ command: 'tc', args: ['qdisc', 'show', 'dev', dev], namespace, signal });
  // How many things hold on to a queue is none of its settings.
  return text
    .split('\n')
    .map((line) => line.replace(/ refcnt \d+/, '').trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}

/** The handle of the root queue: `0:` for what the kernel puts there by itself, which comes back by itself. */
export const rootHandle = (queues: string): string | undefined => /^qdisc \S+ ([0-9a-f]+:) (?:dev \S+ )?root\b/m.exec(queues)?.[1];

/** What is slowed, and by how much. */
export type NetemFacts = {
  readonly dev: string;
  readonly handle: string;
  readonly addresses: readonly string[];
  readonly port: number;
  /** What the leaf is: netem, with its words. */
  readonly leaf: readonly string[];
};

/** The words of a delay. */
export const netemLeaf = (delayMs: number, jitterMs: number): readonly string[] => [
  'netem',
  'delay',
  `${delayMs}ms`,
  ...(jitterMs === 0 ? [] : [`${jitterMs}ms`]),
  'limit',
  '100000',
];

/** Calls of tc, in order. The filters come last: until then nothing goes through the leaf. */
export function netemCalls({ dev, handle, addresses, port, leaf }: NetemFacts): readonly (readonly string[])[] {
  const filter = (address: string): readonly string[] => {
    const [protocol, header, length] = isIPv6(address) ? ['ipv6', 'ip6', '128'] : ['ip', 'ip', '32'];
    const match = ['match', header!, 'dst', `${address}/${length}`, 'match', header!, 'dport', String(port), '0xffff'];
    const prio = protocol === 'ip' ? '1' : '2';
    return ['filter', 'add', 'dev', dev, 'parent', handle, 'protocol', protocol!, 'prio', prio, 'u32', ...match, 'flowid', `${handle}1`];
  };
  return [
    // "default 0": what no filter names passes without being queued.
    ['qdisc', 'add', 'dev', dev, 'root', 'handle', handle, 'htb', 'default', '0'],
    ['class', 'add', 'dev', dev, 'parent', handle, 'classid', `${handle}1`, 'htb', 'rate', '10gbit', 'quantum', '60000'],
    ['qdisc', 'add', 'dev', dev, 'parent', `${handle}1`, ...leaf],
    ...addresses.map(filter),
  ];
}
