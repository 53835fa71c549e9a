// What the system lane needs from Debian. A missing package is installed (root on Debian) or is a failure that names
// the command; it is never a reason to skip a test.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '../child.mjs';
import { root } from '../folders.mjs';
import { SetupFailure } from './setup-failure.mjs';

/** `tests` need `command`, which comes in `debianPackage`. Only rows whose folder exists count. */
const NEEDS = [
  { tests: 'test/system/redis', command: 'redis-server', debianPackage: 'redis-server' },
  { tests: 'test/system/postgres', command: 'pg_ctlcluster', debianPackage: 'postgresql' },
  { tests: 'test/system/browser', command: 'chromium', debianPackage: 'chromium' },
  { tests: 'test/system/prometheus', command: 'promtool', debianPackage: 'prometheus' },
  { tests: 'test/system/network', command: 'iptables', debianPackage: 'iptables' },
  { tests: 'test/system/network', command: 'ip', debianPackage: 'iproute2' },
];

function isInstalled(command) {
  // Daemons and network tools live in sbin, which is not on every user's PATH.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const missingPackages = () => {
  const rows = NEEDS.filter((row) => existsSync(join(root, row.tests)) && !isInstalled(row.command));
  return [...new Set(rows.map((row) => row.debianPackage))];
};

/** Installs what is missing where that is ours to do; otherwise fails, naming the exact command. */
export async function provideSystemPackages() {
  const missing = missingPackages();
  if (missing.length === 0) return;
  const update = ['apt-get', 'update'];
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing];
  const byHand = `Run: sudo ${update.join(' ')} && sudo ${install.join(' ')}`;
  const isRootOnDebian = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!isRootOnDebian) throw new SetupFailure(`The system lane needs ${missing.join(', ')}, which this machine lacks.`, byHand);
  for (const argv of [update, install]) {
    const { code, output } = await run(argv, { env: { DEBIAN_FRONTEND: 'noninteractive' }, budgetMs: 600_000 });
    if (code !== 0) throw new SetupFailure(`${argv.join(' ')} failed:\n${output.trim()}`, byHand);
  }
  const still = missingPackages();
  if (still.length > 0) throw new SetupFailure(`Installed, yet the commands of ${still.join(', ')} are not found.`, byHand);
}
