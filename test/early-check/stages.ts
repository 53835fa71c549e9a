/** Puts a stage up for each transport; a plan is plain data, as a user would write it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createCatalogue, requirePlan, type Era, type JournalEntry, type JsonObject } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { wrapFetch } from '@toolquake/sdk/interceptors';
import { vi } from 'vitest';
import { startConversation } from '../../packages/toolquake/src/simulator/conversation.js';
import { createHttpClient, postTo, type HttpClient } from './http-client.js';
import { inProcessStage } from './in-process-stage.js';
import { createLegacySseClient } from './legacy-sse-client.js';
import { startHttpServer } from './servers/http-server.mjs';
import { startLegacySseServer } from './servers/legacy-sse-server.mjs';
import { createTools } from './servers/tools.mjs';
import { FIRST_WORDS, inEra, INITIALIZED, introduce, seenIn, STAGES, type Seen, type Stage, type StageName } from './stage.js';

const CLI = fileURLToPath(new URL('../../packages/toolquake/bin/toolquake.js', import.meta.url));
const STDIO_SERVER = fileURLToPath(new URL('servers/stdio-server.mjs', import.meta.url));

/** Every fault there is. */
export const catalogue = createCatalogue(faults);

/** Puts up the stage for a plan. */
export async function openStage(name: StageName, plan: JsonObject, era: Era): Promise<Stage> {
  if (name === 'simulator') return simulatorStage(plan, era);
  if (name === 'stdio') return stdioStage(plan, era);
  if (name === 'in-process') return inProcessStage(plan, era, eventually);
  if (name === 'http-legacy-sse') return httpStage(name, plan, startLegacySseServer, createLegacySseClient);
  const as = name.endsWith('json') ? 'json' : 'sse';
  if (name.startsWith('fetch')) return fetchStage(name, plan, as, era);
  return httpStage(
    name,
    plan,
    ({ saw }) => startHttpServer({ as, saw }),
    (url) => createHttpClient(era, postTo(url)),
  );
}

const eventually =
  (why: () => string) =>
  (what: string, holds: () => boolean): Promise<void> =>
    vi.waitFor(
      () => {
        if (!holds()) throw new Error(`never: ${what}\n${why()}`);
      },
      { timeout: 8000, interval: 5 },
    );

function simulatorStage(given: JsonObject, era: Era): Stage {
  const plan = requirePlan(given, catalogue, { transport: 'simulator' });
  const tools = createTools();
  const conversation = startConversation({
    plan,
    server: (message) => tools.answersTo(message).map((answer: JsonObject) => ({ message: answer, afterMs: 1 })),
  });
  const { transcript, journal } = conversation;
  const seen = (): readonly Seen[] =>
    transcript.client.map((one): Seen => {
      if (one.what === 'message')
        return { what: 'message', message: one.message, ...(one.slices === undefined ? {} : { pieces: one.slices }) };
      if (one.what === 'http') return { what: 'http', id: one.id, status: one.status, headers: one.headers };
      if (one.what === 'disconnected') return { what: 'broken', id: one.id };
      if (one.what === 'refused') return { what: 'refused', ...(one.code === undefined ? {} : { code: one.code }) };
      if (one.what === 'stderr') return { what: 'stderr', bytes: one.bytes };
      return { what: one.what };
    });
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    if (!conversation.until(holds)) throw new Error(`never: ${what}\n${JSON.stringify({ transcript, journal }, undefined, 1)}`);
  };
  let isConnected = false;
  const connect = (): void => {
    isConnected = true;
    conversation.take({ kind: 'connect' });
  };
  const send = (message: JsonObject): void => {
    if (!isConnected) connect();
    conversation.take({ kind: 'client-sends', message: inEra(era, message) });
  };
  return {
    name: 'simulator',
    async hello() {
      const before = transcript.client.length;
      // A client that was refused waits a little before it tries again.
      if (before > 0) conversation.take({ kind: 'advance', ms: 10 });
      connect();
      if (transcript.client.slice(before).some((one) => one.what === 'refused')) return false;
      send(FIRST_WORDS[era]);
      await until('the server introduces itself', () => transcript.client.length > before);
      if (era === 'legacy') send(INITIALIZED);
      return true;
    },
    send,
    get seen() {
      return seen();
    },
    get served() {
      return transcript.server.flatMap((one) => (one.what === 'message' ? [one.message] : []));
    },
    journal: () => journal,
    nowMs: conversation.nowMs,
    pass: async (ms) => conversation.take({ kind: 'advance', ms }),
    until,
    leave: async () => conversation.take({ kind: 'close' }),
  };
}

/** A folder with the plan in it, and the journal of a proxy that was told to write there. */
function runFolder(plan: JsonObject): { plan: string; journalPath: string; journal: () => readonly JournalEntry[]; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'early-check-'));
  const journalPath = join(folder, 'journal.jsonl');
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  const read = (): readonly JournalEntry[] => {
    if (!existsSync(journalPath)) return [];
    const lines = readFileSync(journalPath, 'utf8').split('\n');
    // The last line may still be being written.
    return lines.slice(0, -1).map((line) => JSON.parse(line) as JournalEntry);
  };
  let last: readonly JournalEntry[] | undefined;
  return {
    plan: join(folder, 'plan.json'),
    journalPath,
    journal: () => last ?? read(),
    remove() {
      last = read();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The environment of a developer's machine, whatever the test runner's own is. */
const environment = { ...process.env, NODE_ENV: 'development', ENVIRONMENT: 'development' };

async function stdioStage(plan: JsonObject, era: Era): Promise<Stage> {
  const files = runFolder(plan);
  const seen: Seen[] = [];
  const served: JsonObject[] = [];
  const said: string[] = [];
  const command = [CLI, 'proxy', 'stdio', '--plan', files.plan, '--journal', files.journalPath, '--', process.execPath, STDIO_SERVER];
  const child = spawn(process.execPath, command, { stdio: 'pipe', env: environment });
  let pieces = 0;
  child.stdout.on('data', () => pieces++);
  createInterface({ input: child.stdout }).on('line', (line) => {
    seen.push(seenIn(line, pieces));
    pieces = 0;
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.startsWith('saw ')) served.push(JSON.parse(line.slice(4)) as JsonObject);
    else said.push(line);
  });
  let isLeaving = false;
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  void closed.then(() => (isLeaving ? undefined : seen.push({ what: 'broken', id: undefined })));
  child.stdin.on('error', () => {});
  const send = (message: JsonObject): void => void child.stdin.write(`${JSON.stringify(inEra(era, message))}\n`);
  const until = eventually(() => JSON.stringify({ said, seen, served, journal: files.journal() }, undefined, 1));
  return {
    name: 'stdio',
    hello: () => introduce(era, { send, until, seen }),
    send,
    seen,
    served,
    journal: files.journal,
    nowMs: () => performance.now(),
    pass: setTimeout,
    until,
    async leave() {
      isLeaving = true;
      child.stdin.end();
      await closed;
      files.remove();
    },
  };
}

type StartServer = (heard: { saw: (message: JsonObject) => void }) => Promise<{ readonly url: string; stop(): Promise<unknown> }>;

async function httpStage(
  name: StageName,
  plan: JsonObject,
  startServer: StartServer,
  startClient: (url: string) => HttpClient,
): Promise<Stage> {
  const files = runFolder(plan);
  const served: JsonObject[] = [];
  const server = await startServer({ saw: (message) => served.push(message) });
  const command = [CLI, 'proxy', 'http', '--plan', files.plan, '--journal', files.journalPath, '--upstream', server.url, '--port', '0'];
  const child = spawn(process.execPath, command, { stdio: 'pipe', env: environment });
  const client = startClient(await addressOf(child));
  const { seen } = client;
  return {
    name,
    hello: client.hello,
    send: client.send,
    seen,
    served,
    journal: files.journal,
    nowMs: () => performance.now(),
    pass: setTimeout,
    until: eventually(() => JSON.stringify({ seen, served, journal: files.journal() }, undefined, 1)),
    async leave() {
      client.leave();
      const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
      child.kill('SIGTERM');
      await closed;
      await server.stop();
      files.remove();
    },
  };
}

/** The address that a proxy says it listens on. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    const take = (line: string): void => {
      said.push(line);
      const [address] = /http:\/\/127\.0\.0\.1:\d+[^\s]*/.exec(line) ?? [];
      if (address !== undefined) resolve(address);
    };
    createInterface({ input: child.stderr! }).on('line', take);
    createInterface({ input: child.stdout! }).on('line', take);
    child.on('close', (code) => reject(new Error(`the proxy ended with ${code}:\n${said.join('\n')}`)));
  });
}

async function fetchStage(name: StageName, given: JsonObject, as: 'json' | 'sse', era: Era): Promise<Stage> {
  const plan = requirePlan(given, catalogue, { transport: STAGES[name] });
  const served: JsonObject[] = [];
  const server = await startHttpServer({ as, saw: (message: JsonObject) => served.push(message) });
  const wrapped = wrapFetch(fetch, { plan, isAllowed: () => true, observesAll: true });
  const client = createHttpClient(era, async (headers, body, signal) => {
    const response = await wrapped.fetch(server.url, { method: 'POST', headers, body, signal });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: response.body ?? (async function* () {})() };
  });
  const { seen } = client;
  return {
    name,
    hello: client.hello,
    send: client.send,
    seen,
    served,
    journal: () => wrapped.journal,
    nowMs: () => performance.now(),
    pass: setTimeout,
    until: eventually(() => JSON.stringify({ seen, served, journal: wrapped.journal }, undefined, 1)),
    async leave() {
      client.leave();
      wrapped.stop();
      await server.stop();
    },
  };
}
