/** A network namespace of the test with a TCP server in it, and actions that are done and undone there. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { PreparedAction } from '../../../packages/toolquake/src/core/prepared-action.js';
import type { UndoState, UndoStep } from '../../../packages/toolquake/src/core/undo-step.js';
import * as steps from '../../../packages/toolquake/src/undo/steps/index.js';
import { run } from '../dependency.js';

/** Echoes bytes, and ends when its client does. Says its port. */
const ECHO = `
const server = require('node:net').createServer((socket) => { socket.pipe(socket); socket.on('error', () => {}); });
server.listen(0, process.argv[1], () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
`;

/** A namespace with loopback up. */
export type Place = {
  readonly name: string;
  readonly port: number;
  /** Runs a command inside, and expects it to end well. */
  inside(...argv: readonly string[]): Promise<string>;
  /** The rules of both flavours, without counters and times. */
  rules(): Promise<string>;
  /** Processes that live inside. */
  pids(): Promise<readonly string[]>;
  /** Deletes the namespace before its time. */
  remove(): Promise<void>;
};

let places = 0;

/** Makes one, whose server listens on this address; `remove` it. */
export async function makePlace(address = '127.0.0.1'): Promise<Place> {
  const name = `tqt${process.pid}x${++places}`;
  await must('ip', 'netns', 'add', name);
  const inside = (...argv: readonly string[]): Promise<string> => must('ip', 'netns', 'exec', name, ...argv);
  await inside('ip', 'link', 'set', 'lo', 'up');
  const server = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', ECHO, address], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await new Promise<number>((resolve) =>
    createInterface({ input: server.stdout }).once('line', (line) => resolve(Number(line))),
  );
  const rules = async (): Promise<string> => {
    const texts = [await inside('nft', 'list', 'ruleset')];
    for (const command of ['iptables-nft-save', 'iptables-legacy-save', 'ip6tables-nft-save', 'ip6tables-legacy-save'])
      texts.push(await inside(command));
    const lines = texts.join('\n').split('\n');
    return lines
      .filter((line) => !line.startsWith('#'))
      .join('\n')
      .replaceAll(/ packets \d+ bytes \d+/g, '')
      .replaceAll(/\[\d+:\d+\]/g, '');
  };
  let isGone = false;
  return {
    name,
    port,
    inside,
    rules,
    pids: async () => (await must('ip', 'netns', 'pids', name)).trim().split('\n'),
    async remove() {
      if (isGone) return;
      isGone = true;
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.stdin.end();
      await ended;
      await must('ip', 'netns', 'del', name);
    },
  };
}

/** Runs a command, and throws what it said unless it ended well. */
async function must(...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(argv);
  if (code === 0) return stdout;
  throw new Error(`${argv.join(' ')}: ${stderr}`);
}

/** Does every step of the action, and returns the undo steps as they would stand on disk. */
export async function applyAll(prepared: PreparedAction): Promise<UndoStep[]> {
  const undo: UndoStep[] = [];
  for (const step of prepared.steps) {
    if (step.undo !== undefined) undo.push(JSON.parse(JSON.stringify(step.undo)) as UndoStep);
    await step.apply();
  }
  return undo;
}

/** Undoes last in, first out, and reads each anew. */
export async function undoAll(undo: readonly UndoStep[], env: NodeJS.ProcessEnv = process.env): Promise<readonly UndoState[]> {
  const world = { env, signal: AbortSignal.timeout(20_000) };
  const states: UndoState[] = [];
  for (const step of undo.toReversed()) {
    const kind = Object.values(steps).find((one) => one.kind === step.kind);
    if (kind === undefined) throw new Error(`There is no undo "${step.kind}".`);
    await kind.undo(step.data, world);
    states.push(await kind.verify(step.data, world));
  }
  return states;
}
