import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dockerPolicy, parseDockerContainer } from './docker.js';

const id = 'c0ffee'.repeat(10);
const printed = (status = 'running', policy = 'always', pid: unknown = 812): string =>
  `["${id}",${JSON.stringify(pid)},"${status}","2026-11-18T10:00:00.123456789Z",{"Name":"${policy}","MaximumRetryCount":0},4]\n`;

describe('a container', () => {
  test('is read from what docker inspect prints', () => {
    expect(parseDockerContainer(printed())).toEqual({
      id,
      pid: 812,
      status: 'running',
      startedAtMs: Date.parse('2026-11-18T10:00:00.123Z'),
      restartPolicy: 'always',
      restarts: 4,
    });
  });

  test('is nothing where something else was printed', () => {
    for (const text of ['', '[]', '{}', 'null', printed('run ning'), printed('running', 'always', 'x'), printed().replace(id, '--x')])
      expect(parseDockerContainer(text)).toBeUndefined();
    fc.assert(fc.property(fc.string(), (text) => void parseDockerContainer(text)));
    fc.assert(fc.property(fc.array(fc.jsonValue()), (values) => void parseDockerContainer(JSON.stringify(values))));
  });

  test.each([
    ['always', 'TERM', true],
    ['unless-stopped', 'KILL', true],
    ['on-failure', 'KILL', true],
    ['on-failure', 'TERM', false],
    ['no', 'KILL', false],
    ['', 'KILL', false],
  ] as const)('with the policy %j and SIG%s is restarted: %s', (policy, signal, restarts) => {
    expect(dockerPolicy(parseDockerContainer(printed('running', policy)), signal).restarts).toBe(restarts);
  });

  test('that does not run, or does not exist, is not killed', () => {
    expect(dockerPolicy(parseDockerContainer(printed('exited')), 'KILL')).toMatchObject({ restarts: false });
    expect(dockerPolicy(undefined, 'KILL')).toMatchObject({ restarts: false });
  });
});
