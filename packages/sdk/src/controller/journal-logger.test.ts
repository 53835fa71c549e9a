import { pino } from 'pino';
import { expect, test } from 'vitest';
import { interceptTools } from '../interceptors/intercept-tools.js';
import { journalLogger } from './journal-logger.js';
import { startPlan } from './start-plan.js';

test('a run says what it does to pino, which fits directly', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const run = startPlan({ rules: [] }, { isAllowed: () => true, observesAll: true });
  run.listen(journalLogger(pino({ level: 'debug' }, destination)));
  const { wrap } = interceptTools(run, { target: 'bank' });
  run.use({ id: 'slow', fault: 'latency', params: { addedMs: 1 } });
  await wrap('pay', async (_given: object) => ({ content: [] }))({});
  run.stop();
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(said.map(({ level, msg }) => [level, msg])).toEqual([
    [30, 'rules: inject by program'],
    [40, 'fault latency of rule slow: delivered'],
    [20, 'call of pay: ok'],
    [30, 'rules: clear-all by program'],
    [30, 'run: end'],
  ]);
  expect(said[1]).toMatchObject({ kind: 'fault', rule: 'slow', tool: 'pay' });
});
