/** Processes to be shaken: under PM2, or strangers that no test process is the parent of. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock } from '@toolquake/sdk/interceptors';
import type { JsonObject } from '@toolquake/sdk/core';
import { vi } from 'vitest';
import type { Action, ActionWorld } from '../../../packages/toolquake/src/actions/action.js';
import type { ManagerSpec } from '../../../packages/toolquake/src/core/experiment.js';
import type { PreparedAction } from '../../../packages/toolquake/src/core/prepared-action.js';
import type { UndoState, UndoStep } from '../../../packages/toolquake/src/core/undo-step.js';
import { readStat } from '../../../packages/toolquake/src/undo/process-identity.js';
import * as undoSteps from '../../../packages/toolquake/src/undo/steps/index.js';
import type { UndoKind } from '../../../packages/toolquake/src/core/undo-step.js';

/** A folder with scripts in it. */
export function scripts(): { readonly path: (name: string) => string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-process-'));
  const texts: Readonly<Record<string, string>> = {
    'steady.cjs': 'setInterval(() => {}, 1000);\n',
    'tidies.cjs': `process.on('SIGTERM', () => setTimeout(() => process.exit(0), 700)); setInterval(() => {}, 1000);\n`,
    'loops.cjs': 'setTimeout(() => process.exit(1), 50);\n',
    'parent.cjs': `require('node:child_process').spawn(process.execPath, [__dirname + '/steady.cjs']); setInterval(() => {}, 1000);\n`,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts a process that is no child of ours: the program between ends at once. Resolves to its id. */
export function startStranger(...command: readonly string[]): Promise<number> {
  const between = `const c = require('node:child_process').spawn(process.execPath, ${JSON.stringify(command)}, { detached: true, stdio: 'ignore' }); c.unref(); console.log(c.pid);`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', between], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('error', reject);
    child.once('close', () => resolve(Number(text)));
  });
}

/** What an action is given. */
export function worldOf(manager: ManagerSpec | undefined, env: ActionWorld['env'] = process.env): ActionWorld {
  const target = {
    target: { kind: 'url', name: 'shop', url: 'http://127.0.0.1:9/mcp' },
    labels: {},
    manifest: undefined,
  } as unknown as ActionWorld['target'];
  return {
    runId: 'test',
    runDirectory: tmpdir(),
    env: { ...process.env, ...env },
    clock: realClock,
    nowMs: () => performance.now(),
    signal: AbortSignal.timeout(60_000),
    target,
    upstream: target,
    manager,
    front: undefined,
    seed: 1,
    onSample: () => {},
    startWorker: () => Promise.reject(new Error('not here')),
    tell: () => {},
  };
}

/** Prepares an action and does all of its steps. */
export async function perform(
  action: Action,
  params: JsonObject,
  world: ActionWorld,
): Promise<{ prepared: PreparedAction; undos: UndoStep[] }> {
  const prepared = await action.prepare(params, world);
  const undos: UndoStep[] = [];
  for (const step of prepared.steps) {
    // As it comes back from a ledger: plain data.
    if (step.undo !== undefined) undos.push(JSON.parse(JSON.stringify(step.undo)) as UndoStep);
    await step.apply();
  }
  return { prepared, undos };
}

/** Undoes by the catalogue, as a warden would, and reads the world anew. */
export async function undo(step: UndoStep, env: ActionWorld['env'] = process.env, withinMs = 20_000): Promise<UndoState> {
  const kind = Object.values<UndoKind>(undoSteps).find((one) => one.kind === step.kind)!;
  const world = { env: { ...process.env, ...env }, signal: AbortSignal.timeout(withinMs) };
  await kind.undo(step.data, world);
  return kind.verify(step.data, world);
}

/** Polls until it is true. */
export const until = (isTrue: () => boolean | Promise<boolean>): Promise<void> =>
  vi.waitFor(
    async () => {
      if (!(await isTrue())) throw new Error(`not yet: ${isTrue.toString()}`);
    },
    { timeout: 30_000, interval: 50 },
  );

/** R, S, T, Z. */
export const stateOf = (pid: number): string | undefined => readStat(pid)?.state;
