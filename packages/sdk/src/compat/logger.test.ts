import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { freshController } from './fixtures/fresh-controller.js';
import { createPlainFetch } from './fixtures/plain-fetch.js';
import { ChaosController, configureChaosLogger, createChaosAwareFetch, createConsoleLogger } from './index.js';

freshController();

test('a logger that is configured after everything was made hears of everything: pino fits directly', async () => {
  const fetch = createChaosAwareFetch('api', createPlainFetch());
  const controller = ChaosController.getInstance();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  configureChaosLogger((name) => pino({ name, level: 'debug' }, destination));
  const id = controller.inject('api', { type: 'latency', delayMs: 0 });
  await fetch('http://localhost/');
  controller.clear(id);
  controller.clearAll();
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(said.map(({ name, level, msg }) => [name, level, msg])).toEqual([
    ['chaos-controller', 40, 'Chaos fault injected'],
    ['chaos-http', 20, 'Chaos fault triggered'],
    ['chaos-controller', 30, 'Chaos fault cleared'],
    ['chaos-controller', 30, 'All chaos faults cleared'],
  ]);
  expect(said[0]).toMatchObject({ faultId: id, target: 'api', faultType: 'latency' });
});

test('the console says the name first, then the text, then what it is about', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const logger = createConsoleLogger('chaos-x');
  logger.warn('short');
  logger.warn({ a: 1 }, 'long');
  expect(warn.mock.calls).toEqual([
    ['[chaos-x]', 'short'],
    ['[chaos-x]', 'long', { a: 1 }],
  ]);
  warn.mockRestore();
});
