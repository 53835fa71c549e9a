/** The queue that netem hangs below. This kernel may have no netem: then another leaf takes its place, and everything around it is the same. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findNamespace } from '../../../packages/toolquake/src/network/namespace.js';
import { netemCalls, netemLeaf, readQueues } from '../../../packages/toolquake/src/network/netem.js';
import { tryNetem } from '../../../packages/toolquake/src/network/means.js';
import { mustRun } from '../../../packages/toolquake/src/network/trusted-command.js';
import { netemStep } from '../../../packages/toolquake/src/actions/slow-means.js';
import { makePlace, undoAll, type Place } from './place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const signal = new AbortController().signal;
const scope = (): Parameters<typeof netemStep>[2] => ({
  addresses: ['127.0.0.1'],
  port: place.port,
  namespace: findNamespace(place.name),
  uid: undefined,
  whom: 'the test',
});

test('is found, put in place, taken back, and everything is as it was', async () => {
  const step = await netemStep('slow', 'TQ-5f1c09aa-03be', scope(), { delayMs: 50, jitterMs: 0 }, undefined, { signal });
  const { data } = step.undo!;
  const before = await place.inside('tc', 'qdisc', 'show');
  const leaf = (await tryNetem()).works ? netemLeaf(50, 0) : ['pfifo', 'limit', '1000'];
  const namespace = findNamespace(place.name);
  const facts = { dev: String(data['interface']), handle: String(data['handle']), addresses: ['127.0.0.1'], port: place.port, leaf };
  expect(facts.dev).toBe('lo');
  for (const args of netemCalls(facts)) await mustRun({ command: 'tc', args, namespace });
  expect(await place.inside('tc', 'filter', 'show', 'dev', 'lo')).toContain(`flowid ${facts.handle}1`);
  expect(await undoAll([step.undo!])).toMatchObject([{ is: 'undone' }]);
  expect(await place.inside('tc', 'qdisc', 'show')).toBe(before);
  expect(await undoAll([step.undo!]), 'twice is no error').toMatchObject([{ is: 'undone' }]);
});

test('a root queue of somebody else is refused, and never deleted (invariant 11)', async () => {
  const step = await netemStep('slow', 'TQ-5f1c09aa-03be', scope(), { delayMs: 50, jitterMs: 0 }, 'lo', { signal });
  await place.inside('tc', 'qdisc', 'add', 'dev', 'lo', 'root', 'handle', '1:', 'htb', 'default', '30');
  const theirs = await readQueues('lo', findNamespace(place.name));
  await expect(netemStep('slow', 'TQ-5f1c09aa-03be', scope(), { delayMs: 50, jitterMs: 0 }, 'lo', { signal })).rejects.toThrow(
    'a root queue that somebody set up',
  );
  expect(await undoAll([step.undo!]), 'it is told that the world is another').toMatchObject([{ is: 'not-undone' }]);
  expect(await readQueues('lo', findNamespace(place.name))).toBe(theirs);
});
