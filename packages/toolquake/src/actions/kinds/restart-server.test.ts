import { expect, test } from 'vitest';
import { restartServer } from './restart-server.js';

test('restarts less often on a lower stage, and once at least', () => {
  expect(restartServer.scale({ times: 10 }, 0.25)).toEqual({ times: 3 });
  expect(restartServer.scale({}, 0.1)).toEqual({ times: 1 });
});
