import { expect, test, vi } from 'vitest';
import { freshController } from './fixtures/fresh-controller.js';
import { ChaosController, runCli } from './index.js';

freshController();

/** What a command printed, and its exit code. */
function run(...argv: string[]): { code: number; out: string; err: string } {
  const said = { out: '', err: '' };
  const out = vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((said.out += String(text)), true));
  const err = vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((said.err += String(text)), true));
  try {
    return { code: runCli(argv), ...said };
  } finally {
    out.mockRestore();
    err.mockRestore();
  }
}

test('the texts of a session', () => {
  expect(run('status')).toEqual({ code: 0, out: 'No active faults\n', err: '' });
  expect(run('inject', 'api', 'rate-limit').out).toMatch(/^Injected fault: api-\d+-[0-9a-z]{6}\n$/);
  const controller = ChaosController.getInstance();
  expect(controller.getFault('api')).toEqual({ type: 'rate-limit', retryAfterSeconds: 60 });
  const id = controller.getActiveFaults()[0]!.id;
  expect(run('status').out).toBe(`Active faults (1):\n  ${id} → api [rate-limit] (1 requests)\n`);
  expect(run('clear', id).out).toBe(`Cleared fault: ${id}\n`);
  expect(run('clear-all').out).toBe('All faults cleared\n');
});

test.each([
  [['latency'], { type: 'latency', delayMs: 1000 }],
  [['timeout', '--delay', '5'], { type: 'timeout', hangMs: 5 }],
  [['error'], { type: 'error', statusCode: 503 }],
  [['malformed'], { type: 'malformed', corruptResponse: true }],
  [['connection-drop'], { type: 'connection-drop' }],
  [['schema-mismatch', '--fields', 'a,b'], { type: 'schema-mismatch', missingFields: ['a', 'b'] }],
  [['schema-mismatch'], { type: 'schema-mismatch', missingFields: [] }],
])('inject api %j', (words, config) => {
  expect(run('inject', 'api', ...words).code).toBe(0);
  expect(ChaosController.getInstance().getFault('api')).toEqual(config);
});

test('what makes no sense is told, changes nothing, and is the exit code 2', () => {
  expect(run('inject', 'api', 'bogus')).toEqual({ code: 2, out: 'Invalid fault type: bogus\n', err: '' });
  expect(run('inject', 'api', 'error', '--duration', 'x')).toEqual({
    code: 2,
    out: '',
    err: "--duration must be a non-negative number, got 'x'\n",
  });
  expect(() => run('inject', 'api', 'latency', '--status', '-1')).toThrow("--status must be a non-negative number, got '-1'");
  expect(run('clear')).toMatchObject({ code: 2, out: 'Usage: mcp-chaos clear <faultId>\n' });
  expect(run('clear', 'gone')).toMatchObject({ code: 2, out: 'No active fault: gone\n' });
  expect(run('dance')).toMatchObject({ code: 2, out: expect.stringMatching(/^Usage:\n {2}mcp-chaos inject <target> <type> /) });
  expect(ChaosController.getInstance().getActiveFaults()).toEqual([]);
});
