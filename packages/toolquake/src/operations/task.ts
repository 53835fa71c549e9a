/** Runs an agent as one task: its process lifetime is the task, and proxies started below it join by their environment. */
import { mkdtempSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { JOURNAL_VERSION } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { INSIST_AFTER_MS } from '../proxies/stdio-proxy.js';
import { startServer, type ProcessEnd } from '../proxies/stdio-server.js';
import type { Digest } from '../reporters/journal-digest.js';
import { forwardSignals, TYPED_SIGNALS } from './forward-signals.js';
import { openJournal } from './journal-file.js';
import { forgetOperationKey } from './operation-key.js';
import { digestJournals } from './report.js';
import { fileIn, groupOf, journalsIn, RUN_DIRECTORY_VARIABLE, TASK_VARIABLE } from './run-directory.js';

/** What is run. */
export type TaskOptions = {
  readonly command: readonly string[];
  /** Default: that of an outer task, else a new folder. */
  readonly runDirectory?: string | undefined;
  readonly name?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly tell: (line: string) => void;
};

/** What came of it. */
export type TaskEnd = { readonly end: ProcessEnd; readonly task: string; readonly directory: string; readonly digest: Digest };

/** Runs the command with our own stdin, stdout and stderr, and waits for its end. */
export async function runTask(options: TaskOptions): Promise<TaskEnd> {
  const { command, env, tell } = options;
  const given = options.runDirectory ?? (env[RUN_DIRECTORY_VARIABLE] || undefined);
  const directory = given === undefined ? mkdtempSync(join(tmpdir(), 'toolquake-run-')) : resolve(given);
  const task = options.name ?? `task-${randomBytes(4).toString('hex')}`;
  const journal = openJournal(fileIn(directory, 'task'), tell);
  const startedAt = new Date().toISOString();
  const startedAtMs = realClock.nowMs();
  const about = {
    v: JOURNAL_VERSION,
    kind: 'task',
    task,
    group: groupOf(directory),
    startedAt,
    command: basename(command[0] ?? ''),
  } as const;

  const agent = await startServer(command, 'inherit', {
    env: { ...env, [RUN_DIRECTORY_VARIABLE]: directory, [TASK_VARIABLE]: task },
  }).catch((error: unknown) => {
    journal.abandon();
    throw error;
  });
  journal.append({ ...about, atMs: 0, state: 'started' });
  const stopForwarding = forwardSignals((name) => {
    // It has this one already, from the terminal itself.
    if (agent.sharesTerminal && TYPED_SIGNALS.includes(name)) return;
    agent.signal(name);
    if (name === 'SIGTERM') agent.followUs(realClock);
  });
  const end = await agent.exited;
  const atMs = realClock.nowMs() - startedAtMs;
  await agent.settle(realClock, INSIST_AFTER_MS);
  stopForwarding();
  const how = { ...(end.code === null ? {} : { exitCode: end.code }), ...(end.signal === null ? {} : { signal: end.signal }) };
  journal.append({ ...about, atMs, state: 'ended', ...how });
  await journal.close();
  // Nobody else knows this folder.
  if (given === undefined) forgetOperationKey(directory);
  return { end, task, directory, digest: await digestJournals({ paths: journalsIn(directory) }) };
}
