/** Rules that come and go while connections are open, and the kill switch: in the proxy, then through the admin routes. */
import { once } from 'node:events';
import { createCatalogue, EMPTY_PLAN, type Rule } from '@toolquake/sdk/core';
import { createController, type ChaosController } from '@toolquake/sdk/controller';
import * as faults from '@toolquake/sdk/faults';
import { realClock } from '@toolquake/sdk/interceptors';
import { expect, onTestFinished, test } from 'vitest';
import { binPath, createDesk } from '../cli/harness.js';
import { start } from '../stdio/harness.js';
import { always, dial, echo, HELLO, listen, proxied, talk, type Proxied } from './harness.js';

const { bandwidth, blackhole, connectionDrop, connectionRefused, latency, pace } = faults;

async function controlled(...rules: Rule[]): Promise<Proxied & { controller: ChaosController }> {
  const running = await proxied(await echo(), rules);
  const controller = createController({
    plan: { ...EMPTY_PLAN, rules },
    decider: running.decider,
    clock: realClock,
    catalogue: createCatalogue(faults),
    release: () => running.proxy.performer.release(),
    endRules: (ids) => running.proxy.performer.endRules(ids),
  });
  onTestFinished(() => controller.clearAll());
  return { ...running, controller };
}

const HOUR = 3_600_000;

test.each([
  ['delays', always(latency, { addedMs: HOUR, jitterMs: 50 })],
  ['paces', always(pace, { sliceBytes: 1, everyMs: HOUR })],
  ['narrows', always(bandwidth, { kilobytesPerSecond: 1 }, { phase: 'pre' })],
  ['holds', always(blackhole, { forMs: HOUR })],
  ['is about to reset', always(connectionDrop, { afterMs: HOUR })],
])('the kill switch lets go at once of what a rule %s, in order, and the connection lives on', async (_name, one) => {
  const { port, controller, journal } = await controlled(one);
  const socket = dial(port);
  const { text, broken } = listen(socket);
  const sent = Array.from({ length: 3000 }, (_, index) => `${index} `).join('');
  for (let from = 0; from < sent.length; from += 700) socket.write(sent.slice(from, from + 700));
  await expect.poll(() => journal).toMatchObject([{ state: 'delivered' }]);
  expect(text().length).toBeLessThan(sent.length);
  controller.kill();
  await expect.poll(text).toBe(sent);
  socket.write('transparent');
  await expect.poll(text).toBe(`${sent}transparent`);
  expect(await talk(port, [HELLO])).toEqual(HELLO);
  expect(broken()).toBeUndefined();
});

test('the kill switch ends an outage', async () => {
  const { port, controller } = await controlled(always(connectionRefused, { forMs: HOUR }));
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  controller.kill();
  expect(await talk(port, [HELLO])).toEqual(HELLO);
});

test('when a rule is cleared, what it held goes on, and connections that it refused are taken again', async () => {
  const { port, controller, journal } = await controlled();
  const socket = dial(port);
  const { text, broken } = listen(socket);
  const silence = controller.inject({ fault: 'blackhole', params: { forMs: HOUR } });
  socket.write('1');
  await expect.poll(() => journal.length).toBe(1);
  const outage = controller.inject({ fault: 'connection-refused', params: { forMs: HOUR } });
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  controller.clear(silence);
  await expect.poll(text).toBe('1');
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  controller.clear(outage);
  expect(await talk(port, [HELLO])).toEqual(HELLO);
  socket.write('2');
  await expect.poll(text).toBe('12');
  expect(broken()).toBeUndefined();
});

test('after a revival the rules draw anew for what is open, too', async () => {
  const { port, controller, journal } = await controlled(always(blackhole, { forMs: HOUR }));
  const socket = dial(port);
  const { text } = listen(socket);
  socket.write('1');
  await expect.poll(() => journal.length).toBe(1);
  controller.kill();
  await expect.poll(text).toBe('1');
  controller.revive();
  socket.write('2');
  await expect.poll(() => journal.length).toBe(2);
  expect(text()).toBe('1');
  controller.kill();
  await expect.poll(text).toBe('12');
});

test('a rule that is injected reaches connections that are open already; cleared, it leaves them', async () => {
  const { port, controller, journal } = await controlled();
  const socket = dial(port);
  const { text, broken } = listen(socket);
  socket.write('a');
  await expect.poll(text).toBe('a');
  const id = controller.inject({ fault: 'latency', params: { addedMs: 1 } });
  socket.write('b');
  await expect.poll(text).toBe('ab');
  expect(journal).toMatchObject([{ rule: id, state: 'delivered', exchange: 1, match: 1 }]);
  controller.clear(id);
  controller.inject({ fault: 'connection-drop', at: { nth: 2 } });
  socket.write('c');
  await expect.poll(text).toBe('abc');
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(broken()).toBeUndefined();
});

test('proxy tcp with --admin-port takes the same commands: inject, status, reload, kill, revive, clear-all', async () => {
  const upstream = `127.0.0.1:${await echo()}`;
  const argv = ['proxy', 'tcp', '--upstream', upstream, '--port', '0', '--admin-port', '0', '--json'];
  const proxy = start([process.execPath, binPath, ...argv], { TOOLQUAKE_ADMIN_TOKEN: 's3cret' });
  onTestFinished(async () => {
    proxy.child.kill('SIGTERM');
    await proxy.exited;
  });
  const [line] = (await once(proxy.child.stdout!, 'data')) as [Buffer];
  const { port, adminUrl } = JSON.parse(line.toString()) as { port: number; adminUrl: string };
  const plan = 'version: 1\nrules:\n  - { id: hole, fault: blackhole, params: { forMs: 3600000 } }\n';
  const desk = createDesk({ 'plan.yaml': plan, 'broken.yaml': plan.replace('blackhole, params: { forMs: 3600000 }', 'http-status') });
  const toolquake = (...words: string[]) => desk.run([...words, '--url', adminUrl], { TOOLQUAKE_ADMIN_TOKEN: 's3cret' });

  const socket = dial(port);
  const { text } = listen(socket);
  expect((await toolquake('inject', 'connection-refused', '--params', '{"forMs": 0}')).code).toBe(0);
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect((await toolquake('status')).stdout).toContain('connection-refused-live-1  connection-refused  injected  fired 1x');
  expect((await toolquake('clear-all')).code).toBe(0);
  expect(await talk(port, [HELLO])).toEqual(HELLO);

  const refused = await toolquake('reload', 'broken.yaml');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/http-status cannot act on tcp/)]);
  expect((await toolquake('reload', 'plan.yaml')).stdout).toBe('plan.yaml is at work: 1 rules\n');
  socket.write('held');
  await expect.poll(async () => (await toolquake('status')).stdout, { timeout: 20_000 }).toContain('fired 1x');
  expect(text()).toBe('');
  await toolquake('kill');
  await expect.poll(text).toBe('held');
  await toolquake('revive');
  expect((await toolquake('status')).stdout).not.toContain('killed');
}, 60_000);
