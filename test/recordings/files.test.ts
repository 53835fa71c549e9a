/** Any bytes as a recording: a clear error, or something that can be replayed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRecording } from '../../packages/toolquake/src/operations/recording-file.js';
import { createSceneBook } from '../../packages/toolquake/src/recordings/scene-book.js';
import { createDesk } from '../cli/harness.js';

const GOOD = [
  { v: 1, kind: 'start', atMs: 0, session: 'r', transport: 'http', startedAt: '' },
  { v: 1, atMs: 0, session: 'r', direction: 'to-server', message: '{"id":1,"method":"tools/list"}', exchange: 1 },
  { v: 1, kind: 'http', atMs: 1, session: 'r', exchange: 1, method: 'POST', path: '/mcp', status: 200, headers: {} },
  { v: 1, atMs: 2, session: 'r', direction: 'to-client', message: '{"id":1,"result":{"text":"grüße"}}', exchange: 1 },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');

const path = join(createDesk().folder, 'rec.jsonl');

/** The number of lines, or the error. */
async function read(bytes: Uint8Array): Promise<number | string> {
  writeFileSync(path, bytes);
  try {
    const lines = await readRecording(path);
    createSceneBook(lines);
    return lines.length;
  } catch (error) {
    if (error instanceof ToolquakeError) return error.message;
    throw error;
  }
}

test('any bytes are an error that names the file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
      expect(await read(bytes)).toContain(path);
    }),
  );
});

test('a good recording that was damaged is read, or refused with the line', async () => {
  const damage = fc.record({ at: fc.nat(GOOD.length - 1), length: fc.nat(40), by: fc.uint8Array({ maxLength: 8 }) });
  await fc.assert(
    fc.asyncProperty(damage, async ({ at, length, by }) => {
      const bytes = Buffer.from(GOOD);
      const result = await read(Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]));
      if (typeof result === 'string') expect(result).toMatch(/rec\.jsonl(:\d+ (is|has|needs) | is empty)/);
    }),
  );
});

test('a recording that was cut off anywhere is read up to there', async () => {
  const bytes = Buffer.from(GOOD);
  const firstEnd = bytes.indexOf('\n');
  for (let length = firstEnd; length <= bytes.length; length++) {
    const whole = bytes
      .subarray(0, length)
      .toString()
      .split('\n')
      .filter((line) => line.endsWith('}')).length;
    const result = await read(bytes.subarray(0, length));
    expect([whole, whole - 1]).toContain(result);
  }
});
