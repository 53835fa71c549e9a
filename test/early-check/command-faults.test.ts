import { describe, expect, test } from 'vitest';
import { catalogue } from './stages.js';
import { commandFaults } from './command-faults.js';
import { openCommandStage } from './command-stage.js';

for (const { name, fault, rule, play } of commandFaults) {
  describe(name, () => {
    test('database', async () => {
      const stage = openCommandStage({ fault, ...rule });
      await play(stage);
      expect(stage.run.fired('shake')).toBeGreaterThan(0);
      stage.run.stop();
    });
  });
}

test('every fault that acts on commands is played on them', () => {
  const acting = [...catalogue.values()].filter(({ carriers }) => carriers.includes('command')).map(({ type }) => type);
  expect(acting.filter((type) => !commandFaults.some(({ fault }) => fault === type))).toEqual([]);
});
