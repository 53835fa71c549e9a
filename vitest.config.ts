import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { projects } from './scripts/lanes/lanes.mjs';

const sdk = fileURLToPath(new URL('packages/sdk/src', import.meta.url));

export default defineConfig({
  resolve: {
    // Sources, not dist: tests inside a package need no build and never see a stale one. Live tests start the built CLI.
    alias: [
      { find: /^@toolquake\/sdk$/, replacement: `${sdk}/index.ts` },
      { find: /^@toolquake\/sdk\/([a-z-]+)$/, replacement: `${sdk}/$1/index.ts` },
    ],
  },
  test: {
    // A forgotten `.only` would turn the whole lane into one passing test.
    allowOnly: false,
    // Live tests mostly wait for programs that they started: two at a time, also where vitest would leave it at one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    setupFiles: [fileURLToPath(new URL('scripts/lanes/fixed-seed.mjs', import.meta.url))],
    // Programs that tests start must look alike in a terminal and in CI (where some libraries turn colours on).
    env: { NO_COLOR: '1' },
    coverage: { provider: 'v8', include: ['packages/*/src/**/*.ts'], exclude: ['**/*.test.ts'], reportsDirectory: 'coverage' },
    projects: Object.entries(projects).map(([name, { folders, except, testTimeoutMs }]) => ({
      extends: true,
      test: {
        name,
        include: folders.map((folder) => `${folder}/**/*.test.ts`),
        exclude: ['**/node_modules/**', '**/dist/**', ...except.map((folder) => `${folder}/**`)],
        // Unit tests are pure, so their files share a process: loading everything anew for each would take longer than the tests.
        isolate: name !== 'unit',
        testTimeout: testTimeoutMs,
        hookTimeout: testTimeoutMs,
      },
    })),
  },
});
