/** Scripts for byte streams, where there are no messages and the simulator has nothing to compare with. */
import { expect } from 'vitest';
import { dial, HELLO, listen, talk } from '../tcp/harness.js';

/** A script: a client of a server that sends back what it gets, and what it must see with this rule between them. */
export type StreamScenario = {
  /** Row of the coverage table. */
  readonly name: string;
  readonly fault: string;
  readonly rule: object;
  play(port: number): Promise<void>;
};

const TEXT = Buffer.from('a stream of bytes '.repeat(12));

/** Everything comes back as it was, and takes at least so long. */
const echoedAfter = (ms: number) => async (port: number) => {
  const startedAtMs = performance.now();
  expect(await talk(port, [TEXT])).toEqual(TEXT);
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(ms);
};

const isReset = (port: number): Promise<void> => expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });

/** One per row of the table that byte streams have a part in. */
export const tcpFaults: readonly StreamScenario[] = [
  { name: 'latency', fault: 'latency', rule: { params: { addedMs: 150, jitterMs: 20 } }, play: echoedAfter(150) },
  { name: 'bandwidth', fault: 'bandwidth', rule: { params: { kilobytesPerSecond: 1 } }, play: echoedAfter(190) },
  {
    name: 'pace',
    fault: 'pace',
    rule: { params: { sliceBytes: 40, everyMs: 30 } },
    async play(port) {
      const socket = dial(port);
      let pieces = 0;
      socket.on('data', () => pieces++);
      const { text } = listen(socket);
      socket.write(TEXT);
      await expect.poll(text).toBe(TEXT.toString());
      expect(pieces).toBeGreaterThan(1);
    },
  },
  { name: 'connection-drop', fault: 'connection-drop', rule: { phase: 'post' }, play: isReset },
  {
    name: 'connection-drop, ended',
    fault: 'connection-drop',
    rule: { params: { how: 'end', afterMs: 50 } },
    async play(port) {
      expect((await talk(port, [HELLO])).length).toBe(0);
    },
  },
  {
    name: 'connection-drop, after bytes',
    fault: 'connection-drop',
    rule: { phase: 'post', params: { afterBytes: 60, how: 'end' } },
    async play(port) {
      expect(await talk(port, [TEXT])).toEqual(TEXT.subarray(0, 60));
    },
  },
  { name: 'blackhole', fault: 'blackhole', rule: { params: { forMs: 300 } }, play: echoedAfter(300) },
  {
    name: 'connection-refused',
    fault: 'connection-refused',
    rule: { at: { first: 1 }, params: { forMs: 0 } },
    async play(port) {
      await isReset(port);
      expect(await talk(port, [HELLO])).toEqual(HELLO);
    },
  },
];
