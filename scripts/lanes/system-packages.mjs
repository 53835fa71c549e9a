// What lanes need from Debian. A missing package is installed (root on Debian) or is a failure that names
// the command; it is never a reason to skip a test.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '../child.mjs';
import { root } from '../folders.mjs';
import { SetupFailure } from './setup-failure.mjs';

/** What is in `folder` needs `command`, which comes in `debianPackage`. Only rows whose folder exists count. */
const NEEDS = [
  { folder: 'test/system/redis', command: 'redis-server', debianPackage: 'redis-server' },
  { folder: 'examples/weather-agent', command: 'redis-server', debianPackage: 'redis-server' },
  { folder: 'test/system/postgres', command: 'pg_ctlcluster', debianPackage: 'postgresql' },
  { folder: 'test/system/experiments', command: 'pg_ctlcluster', debianPackage: 'postgresql' },
  { folder: 'test/system/browser', command: 'chromium', debianPackage: 'chromium' },
  { folder: 'test/system/prometheus', command: 'promtool', debianPackage: 'prometheus' },
  { folder: 'test/system/network', command: 'iptables', debianPackage: 'iptables' },
  { folder: 'test/system/network', command: 'ip', debianPackage: 'iproute2' },
  { folder: 'test/system/network', command: 'nft', debianPackage: 'nftables' },
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

function missingPackages(folders) {
  const isChosen = ({ folder }) => folders.some((parent) => `${folder}/`.startsWith(`${parent}/`)) && existsSync(join(root, folder));
  const rows = NEEDS.filter((row) => isChosen(row) && !isInstalled(row.command));
  return [...new Set(rows.map((row) => row.debianPackage))];
}

/** Installs what is missing for the lanes below these folders where that is ours to do; otherwise fails, naming the exact command. */
export async function provideSystemPackages(folders) {
  const missing = missingPackages(folders);
  if (missing.length === 0) return;
  const update = ['apt-get', 'update'];
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...missing];
  const byHand = `Run: sudo ${update.join(' ')} && sudo ${install.join(' ')}`;
  const isRootOnDebian = process.getuid?.() === 0 && existsSync('/etc/debian_version');
  if (!isRootOnDebian) throw new SetupFailure(`${folders.join(' and ')} need ${missing.join(', ')}, which this machine lacks.`, byHand);
  for (const argv of [update, install]) {
    const { code, output } = await run(argv, { env: { DEBIAN_FRONTEND: 'noninteractive' }, budgetMs: 600_000 });
    if (code !== 0) throw new SetupFailure(`${argv.join(' ')} failed:\n${output.trim()}`, byHand);
  }
  const still = missingPackages(folders);
  if (still.length > 0) throw new SetupFailure(`Installed, yet the commands of ${still.join(', ')} are not found.`, byHand);
}
