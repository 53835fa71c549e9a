import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, { default: string }>;
};

/** The entry points of mcp-chaos-monkey 1.0.0, with what they export. */
test.each([
  [
    '',
    [
      'assertChaosAllowed',
      'ChaosController',
      'isFaultTarget',
      'configureChaosLogger',
      'createConsoleLogger',
      'defineScenario',
      'createChaosAwareFetch',
      'wrapRedisWithChaos',
      'chaosAuthMiddleware',
      'createChaosAuthMiddleware',
      'registerChaosEndpoint',
      'runCli',
    ],
  ],
  ['/interceptors/http', ['createChaosAwareFetch']],
  ['/interceptors/redis', ['wrapRedisWithChaos']],
  ['/interceptors/auth', ['chaosAuthMiddleware', 'createChaosAuthMiddleware']],
  ['/admin', ['registerChaosEndpoint']],
  ['/cli', ['runCli']],
])('@toolquake/sdk/compat%s has the names of that entry', async (entry, names) => {
  const source = exports[`./compat${entry}`]?.default.replace('./dist/compat/', './').replace('.js', '.ts') ?? '';
  const found = (await import(/* @vite-ignore */ source)) as Record<string, unknown>;
  for (const name of names) expect(found[name], name).toBeTypeOf('function');
});
