import fc from 'fast-check';
import { expect, test } from 'vitest';
import { absoluteTarget, socketAddress, tunnelTarget } from './http-target.js';

const shown = (text: string): readonly string[] | undefined => {
  const target = absoluteTarget(text);
  return target === undefined ? undefined : [target.origin.origin, target.path];
};

test('splits an absolute URL into its origin and the rest, which keeps its spelling', () => {
  expect(shown('http://example.test/a/../b%7E?x=%20#')).toBeUndefined();
  expect(shown('http://example.test/a/../b%7E?x=%20')).toEqual(['http://example.test', '/a/../b%7E?x=%20']);
  expect(shown('HTTP://EXAMPLE.test:80')).toEqual(['http://example.test', '/']);
  expect(shown('http://[::1]:8080?q')).toEqual(['http://[::1]:8080', '/?q']);
  expect(shown('https://example.test//double')).toEqual(['https://example.test', '//double']);
});

test.each([
  '/mcp',
  '*',
  '',
  'ftp://a/',
  'http:///x',
  'http://a b/',
  'http://user:secret@a/',
  'http://a:0/',
  'http://a:99999/',
  'http://a\\b/',
])('does not take %j for an absolute URL', (text) => {
  expect(absoluteTarget(text)).toBeUndefined();
});

test('a tunnel is named by host and port', () => {
  expect(tunnelTarget('example.test:8080')?.origin).toBe('http://example.test:8080');
  expect(tunnelTarget('example.test:80')?.origin).toBe('http://example.test');
  expect(tunnelTarget('[::1]:9')?.host).toBe('[::1]:9');
  for (const text of ['example.test', ':80', 'a@b:80', 'a:0', 'a:65536', 'a:80/x', '']) expect(tunnelTarget(text), text).toBeUndefined();
});

test('an address to connect to has the port of its scheme and no brackets', () => {
  expect(socketAddress(new URL('https://[::1]/'))).toEqual({ host: '::1', port: 443 });
  expect(socketAddress(new URL('http://a.test:81/'))).toEqual({ host: 'a.test', port: 81 });
});

/** `fc.webUrl` sorts all of Unicode first, which takes seconds on a busy machine. */
const anyUrl = fc
  .tuple(
    fc.constantFrom('http', 'https', 'HTTP'),
    fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?(\.[a-z]{2,5})?$/),
    fc.oneof(
      fc.constant(''),
      fc.nat({ max: 70_000 }).map((port) => `:${port}`),
    ),
    fc.array(fc.constantFrom('/', 'a', 'Z', '.', '~', '%20', '%2F', '%', ':', '@', '!', '$', '&', "'", '(', '+', ',', ';', '='), {
      maxLength: 12,
    }),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\?[a-z=&%/?:@]{0,8}$/)),
  )
  .map(([scheme, host, port, path, query]) => `${scheme}://${host}${port}${path.length === 0 ? '' : `/${path.join('')}`}${query}`);

test('never throws, and a path always begins with a slash', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), anyUrl), (text) => {
      tunnelTarget(text);
      const target = absoluteTarget(text);
      if (target === undefined) return;
      expect(target.path.startsWith('/')).toBe(true);
      expect(target.origin.pathname + target.origin.search).toBe('/');
      expect(text.endsWith(target.path) || text.endsWith(target.path.slice(1))).toBe(true);
    }),
  );
});
