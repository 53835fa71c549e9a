import { expect, test } from 'vitest';
import { isReachedFromAnywhere } from './this-machine.js';

test.each([
  'http://localhost:9901',
  'http://LOCALHOST./x',
  'http://shop.localhost',
  'http://127.0.0.1:1',
  'http://127.9.8.7',
  'http://0.0.0.0:9901',
  'http://0:9901',
  'http://[::1]:9901',
  'http://[::]:9901',
  'http://[::ffff:127.0.0.1]',
  'no address',
  7,
  undefined,
])('%j means another machine from another machine', (url) => expect(isReachedFromAnywhere(url)).toBe(false));

test.each(['https://shop.example', 'http://127.shop.example', 'http://localhost.example', 'http://10.0.0.7:9901', 'http://[fd77::2]:1'])(
  '%s means the same from anywhere',
  (url) => expect(isReachedFromAnywhere(url)).toBe(true),
);
