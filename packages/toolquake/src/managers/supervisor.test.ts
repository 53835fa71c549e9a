import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseControlGroup, pm2HomeOf } from './supervisor.js';

const id = '0123456789abcdef'.repeat(4);

test.each([
  ['a service', '0::/system.slice/shop.service\n', { kind: 'systemd', name: 'shop.service' }],
  ['an instance of a service', '0::/system.slice/system-shop.slice/shop@1.service\n', { kind: 'systemd', name: 'shop@1.service' }],
  ['a container, groups v2', `0::/system.slice/docker-${id}.scope\n`, { kind: 'docker', name: id }],
  ['a container, groups v1', `12:pids:/docker/${id}\n1:name=systemd:/docker/${id}\n`, { kind: 'docker', name: id }],
  ['a service inside a container', `0::/docker/${id}/system.slice/shop.service\n`, { kind: 'docker', name: id }],
  ['a login', '0::/user.slice/user-0.slice/session-1.scope\n', undefined],
  ['a service of a user', '0::/user.slice/user-0.slice/user@0.service/app.slice/shop.service\n', undefined],
  ['a name that is an option', '0::/system.slice/--x.service\n', undefined],
  ['no group', '0::/\n', undefined],
])('%s is read from a control group', (_, text, found) => {
  expect(parseControlGroup(text)).toEqual(found);
});

test('the daemon of PM2 says where its folder is', () => {
  expect(pm2HomeOf(['PM2 v7.0.4: God Daemon (/root/.pm2)   '])).toBe('/root/.pm2');
  expect(pm2HomeOf(['PM2 v5.4.0-beta.1: God Daemon (/a b/(c)/.pm2)'])).toBe('/a b/(c)/.pm2');
  expect(pm2HomeOf(['grep', 'God Daemon (/root/.pm2)'])).toBeUndefined();
});

test('whatever stands in a control group, nothing that could be an option comes out', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('/', ':', '-', '.service', 'docker', 'a', '\n', '0') }), (text) => {
      const found = parseControlGroup(text);
      if (found !== undefined && 'name' in found) expect(found.name).toMatch(/^[A-Za-z0-9]/);
    }),
  );
});
