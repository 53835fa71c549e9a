/** Puts the servers of a client's config behind the stdio proxy, and takes them out again. */
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { createCatalogue, suggest, ToolquakeError } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { serversOf, type ConfiguredServer } from '../config/client-config.js';
import { JsoncError, parseJsonc, type JsoncNode } from '../config/jsonc.js';
import { loadPlan } from '../config/load-plan.js';
import type { ProxySettings, ServerCommand } from '../config/proxied-command.js';
import { originalText, unwrapText, wrapText } from '../config/wrap-text.js';
import { backupPathOf, readBackup, readConfigFile, removeBackup, replaceConfig, type ConfigFile } from './config-file.js';

/** One server before and after. */
export type ServerChange = { readonly server: string; readonly before: ServerCommand; readonly after: ServerCommand };
/** A server that stays as it is. */
export type LeftAlone = { readonly server: string; readonly why: string; readonly advice?: string | undefined };

/** What a wrap is asked to do. */
export type WrapOptions = {
  readonly configPath: string;
  readonly planPath: string;
  readonly journalPath?: string | undefined;
  /** Empty: every server that starts by a command. */
  readonly servers: readonly string[];
  /** A program that clients find themselves, instead of this very installation. */
  readonly program?: string | undefined;
  readonly isDryRun: boolean;
};

/** What a wrap did, or would do. */
export type WrapResult = {
  readonly changes: readonly ServerChange[];
  /** Behind a proxy of just these options already. */
  readonly unchanged: readonly string[];
  readonly leftAlone: readonly LeftAlone[];
  readonly launcher: readonly string[];
  readonly planPath: string;
  readonly backupPath: string;
};

/** Wraps. Everything is checked before anything is written. */
export async function wrapConfig(options: WrapOptions): Promise<WrapResult> {
  await loadPlan(options.planPath, { catalogue: createCatalogue(faults), transport: 'stdio' });
  const file = await readConfigFile(options.configPath);
  const servers = serversOf(parseConfig(file.named, file.text));
  const settings: ProxySettings = {
    launcher: options.program === undefined ? thisInstallation() : [options.program],
    planPath: resolve(options.planPath),
    journalPath: options.journalPath === undefined ? undefined : resolve(options.journalPath),
  };
  const { chosen, leftAlone } = choose(file, servers, options.servers, settings.planPath);
  const backup = await readBackup(file);
  const original = originalOf(file, backup);
  const text = wrapText(file.text, chosen, settings);
  const changes = changesBetween(file.text, text);
  if (text !== file.text && !options.isDryRun) await replaceConfig(file, text, original === backup ? undefined : original);
  const changed = new Set(changes.map(({ server }) => server));
  return {
    changes,
    unchanged: [...chosen].filter((name) => !changed.has(name)),
    leftAlone,
    launcher: settings.launcher,
    planPath: settings.planPath,
    backupPath: backupPathOf(file.path),
  };
}

/** What came of an unwrap. */
export type UnwrapResult = {
  readonly changes: readonly ServerChange[];
  /**
   * `backup`: the file is the original again, byte for byte. `edited`: its owner changed it since, and these changes stay.
   * `rebuilt`: there was no backup. `none`: nothing was wrapped.
   */
  readonly from: 'backup' | 'edited' | 'rebuilt' | 'none';
  readonly backupPath: string;
};

/** Unwraps every server. */
export async function unwrapConfig({ configPath, isDryRun }: { configPath: string; isDryRun: boolean }): Promise<UnwrapResult> {
  const file = await readConfigFile(configPath);
  parseConfig(file.named, file.text);
  const backup = await readBackup(file);
  if (backup !== undefined) parseConfig(backupPathOf(file.named), backup);
  const text = unwrapText(file.text, backup);
  const changes = changesBetween(file.text, text);
  const isOriginal = text === backup;
  if (!isDryRun) {
    if (text !== file.text) await replaceConfig(file, text, undefined);
    // Kept where it says something that the file does not.
    if (isOriginal) await removeBackup(file);
  }
  const from = text === file.text ? 'none' : backup === undefined ? 'rebuilt' : isOriginal ? 'backup' : 'edited';
  return { changes, from, backupPath: backupPathOf(file.path) };
}

/** The file without any proxy of ours: what the backup must say. */
function originalOf(file: ConfigFile, backup: string | undefined): string {
  if (backup === undefined) return originalText(file.text);
  parseConfig(backupPathOf(file.named), backup);
  return unwrapText(file.text, backup);
}

/** This Node and this file: clients that start from a desktop have a PATH of their own, where nothing of ours may be. */
function thisInstallation(): readonly [string, string] {
  return [process.execPath, join(dirname(createRequire(import.meta.url).resolve('toolquake/package.json')), 'bin', 'toolquake.js')];
}

function parseConfig(path: string, text: string): JsoncNode {
  try {
    return parseJsonc(text);
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    const before = text.slice(text.startsWith('\uFEFF') ? 1 : 0, error.offset).split(/\r\n|\r|\n/);
    throw new ToolquakeError(text.trim() === '' ? 'EMPTY_INPUT' : 'BAD_SYNTAX', {
      message: `${path}:${before.length}:${before.at(-1)!.length + 1}: ${error.message}.`,
      advice: 'Nothing was changed. Is it the config file of an MCP client?',
      cause: error,
    });
  }
}

type Choice = { readonly chosen: ReadonlySet<string>; readonly leftAlone: readonly LeftAlone[] };

function choose(file: ConfigFile, servers: readonly ConfiguredServer[], names: readonly string[], planPath: string): Choice {
  const known = servers.map(({ name }) => name);
  if (servers.length === 0) {
    throw new ToolquakeError('MISSING_KEY', {
      message: `${file.named} lists no servers.`,
      advice: 'They are expected under "mcpServers", or in files of VS Code under "servers" or "mcp.servers".',
    });
  }
  for (const name of names) {
    const found = servers.find((server) => server.name === name);
    if (found === undefined)
      throw new ToolquakeError('BAD_ARGUMENT', { message: `${file.named} has no server "${name}".`, advice: suggest(name, known) });
    const refusal = refusalOf(found, planPath);
    if (refusal !== undefined)
      throw new ToolquakeError('BAD_ARGUMENT', { message: `Server "${name}" cannot be wrapped: ${refusal.why}.`, advice: refusal.advice });
  }
  const leftAlone = names.length > 0 ? [] : servers.flatMap((server) => refusalOf(server, planPath) ?? []);
  const chosen = new Set(names.length > 0 ? names : servers.filter(({ kind }) => kind === 'stdio').map(({ name }) => name));
  const [first] = leftAlone;
  if (chosen.size > 0 || first === undefined) return { chosen, leftAlone };
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${file.named} has no server that can be wrapped: ${leftAlone.map(({ server, why }) => `"${server}": ${why}`).join('; ')}.`,
    advice: first.advice,
  });
}

function refusalOf(server: ConfiguredServer, planPath: string): LeftAlone | undefined {
  if (server.kind === 'stdio') return undefined;
  if (server.kind === 'odd') return { server: server.name, why: server.why };
  return {
    server: server.name,
    why: 'the client reaches it by URL, and starts no command',
    advice: `Run "toolquake proxy http --upstream ${shownUrl(server.url)} --plan ${planPath}" and give the client the address that it prints.`,
  };
}

/** Without user, password and query: these are where secrets travel. */
function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'URL';
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function changesBetween(before: string, after: string): readonly ServerChange[] {
  const commands = (text: string): Map<string, ServerCommand> =>
    new Map(
      serversOf(parseJsonc(text)).flatMap((one) => (one.kind === 'stdio' ? [[one.name, { command: one.command, args: one.args }]] : [])),
    );
  const old = commands(before);
  return [...commands(after)].flatMap(([server, command]) => {
    const was = old.get(server)!;
    return JSON.stringify(was) === JSON.stringify(command) ? [] : [{ server, before: was, after: command }];
  });
}
