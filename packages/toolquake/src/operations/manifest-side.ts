/** One side of a comparison: a lock file, or a server that is asked now. */
import { readFileSync, statSync } from 'node:fs';
import { ToolquakeError, type PlanPath, type PlanProblem } from '@toolquake/sdk/core';
import { JsoncError, parseJsonc, type JsoncNode } from '../config/jsonc.js';
import { lockText } from '../gates/manifest/lock-text.js';
import type { Manifest } from '../gates/manifest/manifest.js';
import { readLock } from '../gates/manifest/read-lock.js';
import { readWaivers, type Waiver } from '../gates/manifest/waivers.js';
import type { TargetDefinition } from '../targets/target.js';
import { takeManifest, type TakeOptions } from './take-manifest.js';

/** A manifest and where it came from. `text` is its lock file, whether it was read or would be written. */
export type ManifestSide = { readonly name: string; readonly manifest: Manifest; readonly text: string; readonly file?: string };

/** Ten thousand tools with their schemas fit; more is a mistake, or an attack. */
const MAX_LOCK_BYTES = 64 * 1024 * 1024;

/** Reads a lock file, or asks the server behind a target. */
export async function manifestSide(given: string | TargetDefinition, options: TakeOptions): Promise<ManifestSide> {
  if (typeof given === 'string') return readLockFile(given);
  const manifest = await takeManifest(given, options);
  return { name: given.name, manifest, text: lockText(manifest) };
}

/** A lock file; what is wrong with it is told with file and line. */
export function readLockFile(path: string): ManifestSide {
  const text = readText(path);
  const reading = readLock(parsed(path, text));
  if ('problems' in reading) throw refusal(path, text, reading.problems);
  return { name: path, manifest: reading.manifest, text, file: path };
}

/** A file of waivers. */
export function readWaiverFile(path: string): readonly Waiver[] {
  const text = readText(path);
  const reading = readWaivers(parsed(path, text));
  if ('problems' in reading) throw refusal(path, text, reading.problems);
  return reading.waivers;
}

function readText(path: string): string {
  try {
    const { size } = statSync(path);
    if (size > MAX_LOCK_BYTES)
      throw new ToolquakeError('TOO_LARGE', {
        message: `${path} is larger than ${MAX_LOCK_BYTES / 1024 / 1024} MiB.`,
        advice: 'Is it the right file?',
      });
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    if (cause instanceof ToolquakeError) throw cause;
    const why = cause instanceof TypeError ? 'it is not UTF-8 text' : cause instanceof Error ? cause.message : String(cause);
    throw new ToolquakeError('UNREADABLE', {
      message: `${path} cannot be read: ${why}.`,
      advice: 'Name a file that "toolquake lock TARGET --out FILE" wrote.',
      cause,
    });
  }
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const place = syntaxPlace(text);
    throw new ToolquakeError('BAD_SYNTAX', {
      message: `${path}:${place.line} is no JSON: ${place.problem}.`,
      advice: 'Was it merged by hand? Write it again with "toolquake lock".',
      cause,
    });
  }
}

function syntaxPlace(text: string): { readonly line: number; readonly problem: string } {
  try {
    parseJsonc(text);
    return { line: 1, problem: 'it holds comments or trailing commas' };
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    return { line: lineAt(text, error.offset), problem: error.message };
  }
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

function refusal(path: string, text: string, problems: readonly PlanProblem[]): ToolquakeError {
  const [first] = problems as readonly [PlanProblem];
  const place = createLocator(text);
  const more = problems.length === 1 ? '' : ` (${problems.length - 1} more)`;
  return new ToolquakeError(first.code, { message: `${path}:${place(first.path)}: ${first.message}${more}`, advice: first.advice });
}

/** Finds the line of a path, or of the nearest thing above it. The text is read once, and only when somebody asks. */
export function createLocator(text: string): (path: PlanPath) => number {
  let root: JsoncNode | undefined;
  let starts: readonly number[] | undefined;
  return (path) => {
    root ??= parseJsonc(text);
    starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
    let node = root;
    let offset = node.start;
    for (const step of path) {
      const next: JsoncNode | undefined =
        node.kind === 'object'
          ? node.members.find(({ key }) => key.name === String(step))?.value
          : node.kind === 'array'
            ? node.items[Number(step)]
            : undefined;
      if (next === undefined) break;
      node = next;
      offset = next.start;
    }
    return lastAtMost(starts, offset) + 1;
  };
}

function lastAtMost(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
