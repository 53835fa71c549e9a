// Builds both packages; runs on every `npm ci` through `prepare`, so `npx toolquake` works right after it.
// The sdk is plain tsc output (one file per source: readable in a user's debugger). The CLI is one bundle split at its
// dynamic imports, because loading fewer and smaller files is what keeps `toolquake --help` near bare node.
import './require-node.mjs';
import { existsSync, readFileSync, readdirSync, rmSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { run } from './child.mjs';
import { root, tool } from './folders.mjs';
import { bold, dim, duration, green, indent, plain, red } from './terminal.mjs';

const PROJECTS = ['packages/sdk', 'packages/sdk/tsconfig.testing.json', 'packages/toolquake'];

/** Thrown for failures whose text is already meant for people. */
class BuildFailure extends Error {}

async function compile() {
  const { code, output } = await run([process.execPath, tool('typescript/bin/tsc'), '-b', ...PROJECTS], { cwd: root });
  if (code !== 0) throw new BuildFailure(output || `tsc ended with exit code ${code} and no message`);
}

/** tsc never deletes: without this, a removed source would live on in dist, and be published. */
function dropStale(dist, isCurrent) {
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    const path = join(dist, entry.name);
    if (!entry.isDirectory()) {
      if (!isCurrent(path)) rmSync(path);
      continue;
    }
    dropStale(path, isCurrent);
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
}

function dropStaleSdkOutput() {
  const dist = join(root, 'packages/sdk/dist');
  const source = join(root, 'packages/sdk/src');
  dropStale(dist, (path) => {
    if (path.endsWith('.tsbuildinfo')) return true;
    return existsSync(join(source, path.slice(dist.length).replace(/(\.d\.ts|\.js)$/, '.ts')));
  });
}

/** A project without sources compiles to nothing, happily; a promised entry point that is not there must not pass. */
function verifyEntryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));
  const promised = Object.values(exports).flatMap((target) => (typeof target === 'string' ? target : Object.values(target)));
  const missing = promised.filter((path) => !existsSync(join(root, 'packages/sdk', path)));
  if (missing.length > 0) throw new BuildFailure(`packages/sdk/package.json promises what was not built: ${missing.join(', ')}`);
}

async function bundle() {
  // Loaded late: on an old Node, rolldown fails to load before require-node.mjs could say why.
  const { rolldown } = await import('rolldown');
  const dist = join(root, 'packages/toolquake/dist');
  const build = await rolldown({
    // Those after the first are started by their file names: a thread, and a process.
    input: {
      cli: join(root, 'packages/toolquake/src/cli/main.ts'),
      'scenario-worker': join(root, 'packages/toolquake/src/operations/scenario-worker.ts'),
      'calibration-server': join(root, 'packages/toolquake/src/operations/calibration-server.ts'),
      'experiment-worker': join(root, 'packages/toolquake/src/operations/experiment-worker.ts'),
      warden: join(root, 'packages/toolquake/src/operations/warden-process.ts'),
    },
    platform: 'node',
    logLevel: 'warn',
    onLog(level, log) {
      // An import that did not resolve would only fail on the user's machine; it fails here instead.
      if (level === 'warn') throw new BuildFailure(log.message);
    },
  });
  const { output } = await build.write({
    dir: dist,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // Less text to parse, but names stay: a stack trace in a bug report must be readable.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  const current = new Set(output.map((file) => join(dist, file.fileName)));
  dropStale(dist, (path) => current.has(path));
}

/** What the bundler says about our sources is the message; where in the bundler it said so is of no use to anybody. */
const isForPeople = (error) => error instanceof BuildFailure || Array.isArray(error.errors);

async function step(name, work) {
  const started = performance.now();
  try {
    await work();
  } catch (error) {
    console.error(`  ${red('✗')} ${name}\n${indent(isForPeople(error) ? plain(error.message) : (error.stack ?? String(error)))}`);
    console.error(red('Build failed.'));
    process.exit(1);
  }
  console.log(`  ${green('✓')} ${name.padEnd(32)} ${dim(duration(performance.now() - started).padStart(7))}`);
}

console.log(bold('Building toolquake'));
await step('types, and the sdk (tsc)', compile);
await step('no stale sdk output', dropStaleSdkOutput);
await step('sdk entry points', verifyEntryPoints);
await step('command line bundle (rolldown)', bundle);
