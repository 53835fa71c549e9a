/** A PM2 of its own for a test: installed on the fly into .cache, never in our lock, with its daemon in a folder of its own. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, type Ran } from './dependency.js';

const VERSION = '7.0.4';
const cache = fileURLToPath(new URL('../../.cache', import.meta.url));
const installed = join(cache, `pm2-${VERSION}`);

/** Installs once for all test files. Whoever is second throws away what it installed. */
async function provide(): Promise<void> {
  if (existsSync(installed)) return;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'pm2-installing-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { pm2: VERSION } }));
  const install = ['npm', 'install', '--prefix', folder, '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund'];
  const { code, stdout, stderr } = await run(install);
  if (code !== 0) throw new Error(`Installing pm2 ${VERSION} failed (${install.join(' ')}):\n${stdout}${stderr}`);
  try {
    renameSync(folder, installed);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(installed)) throw error;
  }
}

/** A daemon of PM2. */
export type Pm2 = {
  /** Finds `pm2` and this daemon; hand it to whatever asks PM2. */
  readonly env: Readonly<Record<string, string>>;
  readonly home: string;
  /** Runs `pm2` with these words; rejects when it fails. */
  pm2(...words: readonly string[]): Promise<Ran>;
  /** Ends the daemon and all it runs, and removes its folder. Call it also when the test fails: in afterAll. */
  stop(): Promise<void>;
};

/** Starts no daemon yet: the first command does. */
export async function providePm2(): Promise<Pm2> {
  await provide();
  const home = mkdtempSync(join(tmpdir(), 'toolquake-pm2-'));
  const env = {
    PATH: [join(installed, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: home,
    PM2_HOME: home,
    // No banner, no look for a newer version, no figures for anybody.
    PM2_DISCRETE_MODE: 'true',
    PM2_DISABLE_VERSION_CHECK: 'true',
    PM2_PING: 'false',
    NO_COLOR: '1',
  };
  const pm2 = async (...words: readonly string[]): Promise<Ran> => {
    const ran = await run(['pm2', ...words], { env });
    if (ran.code !== 0) throw new Error(`"pm2 ${words.join(' ')}" ended with ${ran.code}:\n${ran.stdout}${ran.stderr}`);
    return ran;
  };
  return {
    env,
    home,
    pm2,
    async stop() {
      // Nothing to kill where the test never got as far as a daemon: `pm2 kill` would start one.
      if (existsSync(join(home, 'pm2.pid'))) await run(['pm2', 'kill'], { env });
      rmSync(home, { recursive: true, force: true });
    },
  };
}
