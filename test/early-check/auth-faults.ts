/** Credentials that are rejected, expire, or do not reach far enough. */
import { expect } from 'vitest';
import { callTool, dataOf, ONCE, reported, resultOf, type Scenario } from './scenario.js';
import { isPipe, answersTo, executions, type Stage } from './stage.js';

const challenges = (stage: Stage): readonly unknown[] =>
  stage.seen.flatMap((one) => (one.what === 'http' ? [[one.status, one.headers['www-authenticate']]] : []));

/** Scripts for them. */
export const authFaults: readonly Scenario[] = [
  {
    name: 'unauthorized',
    fault: 'unauthorized',
    rule: { ...ONCE, params: { resourceMetadata: 'https://mcp.example.com/.well-known/oauth-protected-resource' } },
    hasOwnAnswers: true,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(dataOf(stage, 2)['receipt']).toBe(1);
      if (isPipe(stage)) {
        expect(resultOf(stage, 1)).toMatchObject({
          isError: true,
          content: [{ text: 'Authentication failed: the API key was rejected.' }],
        });
        return reported(stage, ['tool-error', 'ok']);
      }
      expect(challenges(stage)).toEqual([[401, expect.stringMatching(/^Bearer .*resource_metadata="https:.*"$/)]]);
      await reported(stage, ['http-error', 'ok']);
    },
  },
  {
    name: 'token-expire',
    fault: 'token-expire',
    rule: { ...ONCE, when: { tool: 'pay' }, params: { forMs: 300 } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'read');
      await stage.pass(310);
      await callTool(stage, 3, 'pay');
      expect(challenges(stage)).toEqual(
        [1, 2].map(() => [401, 'Bearer error="invalid_token", error_description="The access token expired"']),
      );
      expect(dataOf(stage, 3)['receipt']).toBe(1);
      expect(executions(stage, 'read')).toBe(0);
    },
  },
  {
    name: 'insufficient-scope',
    fault: 'insufficient-scope',
    rule: { ...ONCE, params: { scope: 'payments:write' } },
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(challenges(stage)).toEqual([[403, expect.stringContaining('error="insufficient_scope"')]]);
      expect(challenges(stage)).toEqual([[403, expect.stringContaining('scope="payments:write"')]]);
      expect(answersTo(stage, 1)).toEqual([]);
      expect(executions(stage, 'pay')).toBe(1);
    },
  },
  {
    name: 'auth-as-data',
    fault: 'auth-as-data',
    rule: ONCE,
    async play(stage) {
      await callTool(stage, 1, 'pay');
      await callTool(stage, 2, 'pay');
      expect(resultOf(stage, 1)['content']).toEqual([{ type: 'text', text: 'Your session has expired. Please sign in again.' }]);
      expect(resultOf(stage, 1)['isError']).toBeUndefined();
      expect(executions(stage, 'pay')).toBe(1);
      await reported(stage, ['ok', 'ok']);
    },
  },
];
