/** Runs the built command line as a real process, in a folder of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../packages/toolquake/bin/toolquake.js', import.meta.url));

/** What came of a run. */
export type Run = { readonly code: number | null; readonly signal: string | null; readonly stdout: string; readonly stderr: string };

/** A folder with files in it, and a way to run commands there. */
export type Desk = {
  readonly folder: string;
  run(argv: readonly string[], env?: NodeJS.ProcessEnv): Promise<Run>;
  /** Names of the files in the folder. */
  files(): readonly string[];
};

/** Makes a fresh folder with these files. */
export function createDesk(files: Readonly<Record<string, string>> = {}): Desk {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-cli-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return {
    folder,
    files: () => readdirSync(folder).sort(),
    run: (argv, env = {}) =>
      new Promise((resolve, reject) => {
        const { NO_COLOR: _, FORCE_COLOR: __, ...inherited } = process.env;
        const child = spawn(process.execPath, [BIN, ...argv], {
          cwd: folder,
          env: { ...inherited, ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        let stdout = '';
        let stderr = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
        child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
        child.on('error', reject);
        child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
      }),
  };
}

/** The path of the built command line, for tests that need their own process. */
export const binPath: string = BIN;
