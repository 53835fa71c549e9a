/** Proxies as users start them, for the proof: what they are told, where they listen, what they journalled. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JournalEntry } from '@toolquake/sdk/core';
import { readJournal } from '../../packages/toolquake/src/operations/journal-file.js';
import { binPath } from '../demo/toolquake.js';
import { start } from '../stdio/harness.js';

/** Rules for all kinds of traffic, of a session, a tool or a method that never comes: everything is read, nothing is changed. */
export const idleRules: readonly object[] = [
  { id: 'calls', fault: 'latency', when: { tool: 'no_such_tool' } },
  { id: 'answers', fault: 'truncate-text', when: { tool: 'no_such_tool' } },
  { id: 'lists', fault: 'rename-tool', when: { session: 'nobody' } },
  { id: 'notices', fault: 'lost-notification', when: { session: 'nobody' } },
  { id: 'statuses', fault: 'http-status', when: { method: 'no/such' } },
];

/** How a proxy is to be started; with rules it also keeps a journal. */
export type ProxyRequest = { readonly options: readonly string[]; readonly rules?: readonly object[] };

/** A proxy that listens. */
export type StartedProxy = {
  readonly url: string;
  /** Ends it as Ctrl-C does, and reads its journal (empty without rules). */
  stop(): Promise<readonly JournalEntry[]>;
};

/** Starts `toolquake proxy http` on a free port. */
export async function startProxy({ options, rules }: ProxyRequest): Promise<StartedProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-proxy-'));
  const plan = join(folder, 'plan.json');
  const journal = join(folder, 'journal.jsonl');
  if (rules !== undefined) writeFileSync(plan, JSON.stringify({ version: 1, seed: 1, rules }));
  const watching = rules === undefined ? [] : ['--plan', plan, '--journal', journal];
  const { child, client, exited } = start([process.execPath, binPath, 'proxy', 'http', ...options, '--port', '0', '--json', ...watching]);
  const said = (await client.line((message) => message !== undefined)) as { url: string };
  return {
    url: said.url,
    async stop() {
      child.kill('SIGINT');
      await exited;
      const entries = rules === undefined ? [] : await readJournal(journal);
      rmSync(folder, { recursive: true, force: true });
      return entries;
    },
  };
}
