// Which mirror this machine installs from is nobody's business, and breaks everybody else's install: no tracked file names it.
import '../require-node.mjs';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../child.mjs';
import { filesBelow, root } from '../folders.mjs';

const hostOf = (url) => {
  try {
    return new URL(url).hostname;
  } catch {
    return '';
  }
};

function aptHosts() {
  const folder = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...(existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [])];
  return files
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').match(/https?:\/\/\S+/g) ?? [])
    .map(hostOf);
}

const configured =
  process.env.npm_config_registry ?? (await run(['npm', 'config', 'get', 'registry'], { cwd: root })).output.trim().split('\n').at(-1);
// The public ones are spelled in halves, so that this file does not find itself.
const hosts = new Set(['registry.' + 'npmjs.org', 'registry.' + 'yarnpkg.com', 'deb.' + 'debian.org', hostOf(configured), ...aptHosts()]);
// A bare name such as "localhost" is no mirror, and occurs in honest tests.
const named = [...hosts].filter((host) => host.includes('.') && !host.startsWith('127.'));

const problems = [];
const files = filesBelow('.');
for (const file of files) {
  const text = readFileSync(join(root, file), 'latin1');
  if (named.some((host) => text.includes(host))) problems.push(`${file} names a package registry.`);
  else if (file === 'package-lock.json' && /"resolved": "https?:/.test(text)) problems.push(`${file} records where packages came from.`);
}
if (problems.length > 0)
  problems.push('Remove the host name. For the lock: "npm install --package-lock-only" with the repository\'s .npmrc in place.');
console.log(problems.length === 0 ? `${files.length} files` : problems.join('\n'));
process.exitCode = problems.length === 0 ? 0 : 1;
