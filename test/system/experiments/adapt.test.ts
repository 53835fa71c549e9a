import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as actions from '../../../packages/toolquake/src/actions/kinds/index.js';
import { readExperimentText } from '../../../packages/toolquake/src/config/load-experiment.js';
import { adapted, SHIPPED } from './adapt.js';

const names = readdirSync(SHIPPED)
  .filter((file) => file !== 'toolquake.yaml')
  .map((file) => file.replace('.yaml', ''));

test.each(names)('%s.yaml is a whole experiment as it is shipped, and as tests run it', async (name) => {
  for (const text of [adapted(name, {}, { speed: 1 }), adapted(name, {}, { speed: 120 })]) {
    const { problems, loaded } = await readExperimentText(text, SHIPPED, { actions });
    expect(problems).toEqual([]);
    expect(loaded!.experiment.id).toBe(name);
  }
});

test('times are divided, and nothing else is', () => {
  const real = parse(adapted('kill-process', {}, { speed: 1 }));
  const fast = parse(adapted('kill-process', { 'manager.pm2': 'other' }, { speed: 120 }));
  expect(fast.monitor.every).toBe('500ms');
  expect(fast.steady[0]).toEqual({ signal: 'uptime_seconds', atLeast: 30, window: '2500ms', in: ['before'] });
  expect(fast.actions[0]).toEqual({ ...real.actions[0], for: '5000ms' });
  expect(fast.rollback_on[0].above, 'but how long a process may take to start').toBe(10);
  expect(fast.expect).toEqual({ ...real.expect, recoverWithin: '10000ms' });
  expect(fast.manager).toEqual({ pm2: 'other' });
  expect(fast.question).toBe(real.question);
  const [memory] = parse(adapted('exhaust-pool', {}, { speed: 120 })).rollback_on;
  expect(memory, 'and the window of what is looked at once a second').toMatchObject({
    signal: 'host_memory',
    window: '4000ms',
    for: '250ms',
  });
});

test("only what is marked as anybody's own may be changed", () => {
  expect(() => adapted('kill-process', { 'expect.alert.withinCycles': 99 })).toThrow('is not marked "yours"');
});
