import { expect, test } from 'vitest';
import { parseSweeps } from './parse-sweeps.js';

test('reads numbers, flags and texts', () => {
  expect(parseSweeps('servers.shop.pool=100,50; agents.a.timeout=5s,1.5s;gateway.headOfLine=true,false')).toEqual([
    { key: 'servers.shop.pool', values: [100, 50] },
    { key: 'agents.a.timeout', values: ['5s', '1.5s'] },
    { key: 'gateway.headOfLine', values: [true, false] },
  ]);
});

test.each(['pool', 'pool=', '=1,2', 'pool=1,,2'])('refuses %s', (text) => {
  expect(() => parseSweeps(text)).toThrow(`--sweep must look like key=a,b,c, not "${text}".`);
});
