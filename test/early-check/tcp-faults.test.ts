import { describe, expect, test } from 'vitest';
import { behindProxy } from '../tcp/behind-proxy.js';
import { echo } from '../tcp/harness.js';
import { tcpFaults } from './tcp-faults.js';

for (const { name, fault, rule, play } of tcpFaults) {
  describe(name, () => {
    test('tcp', async () => {
      const { said } = await behindProxy(await echo(), [{ id: 'shake', fault, ...rule }], play);
      expect(said).toMatch(/1 of 1 rules fired[^]*fired \d+x/);
    });
  });
}
