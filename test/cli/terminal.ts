/** A command on a terminal of its own (that of util-linux), and somebody who answers. */
import { spawn } from 'node:child_process';
import { binPath } from './harness.js';

/** Where it runs, and what is typed: once, as soon as `answer` finds something to answer in what is shown. */
export type AtTerminal = {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly answer: (shown: string) => string | undefined;
};

/** Resolves when it ended. Nobody calls this terminal a CI. */
export function onTerminal(
  argv: readonly string[],
  { cwd, env = {}, answer }: AtTerminal,
): Promise<{ code: number | null; shown: string }> {
  const { CI: _, ...inherited } = process.env;
  const words = [process.execPath, binPath, ...argv].map((word) => `'${word}'`).join(' ');
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-qefc', words, '/dev/null'], { cwd, env: { ...inherited, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    let shown = '';
    let isAnswered = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const reply = isAnswered ? undefined : answer(shown);
      if (reply === undefined) return;
      isAnswered = true;
      child.stdin.write(`${reply}\n`);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, shown }));
  });
}
