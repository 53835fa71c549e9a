/** A person's yes to one plan: signed with a key of this host, for one use, and not for ever. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { makeWhole } from '../undo/whole-file.js';

/** What was agreed to, by whom, and until when. */
export type Approval = {
  readonly digest: string;
  readonly who: string;
  readonly at: string;
  readonly expiresAt: string;
  /** One use: who takes it writes this down. */
  readonly nonce: string;
};

/** Where approvals are: the project holds them, the state folder of the host holds the key and what was used. */
export type ApprovalPlace = { readonly root: string; readonly stateFolder: string };

/** An approval, or why there is none. */
export type TakenApproval = { readonly approval: Approval } | { readonly why: string };

/** An approval of yesterday's plan is none of today's. */
export const APPROVAL_LASTS_MS = 24 * 3_600_000;

const DIGEST = /^[0-9a-f]{64}$/;
/** A clock that was set back a little is no attack. */
const CLOCK_SLACK_MS = 60_000;

/** The digest of a plan as it was typed, or an error that says what one looks like. */
export function digestOf(given: string): string {
  const digest = given
    .trim()
    .toLowerCase()
    .replace(/^sha256:/, '');
  if (DIGEST.test(digest)) return digest;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `"${given.slice(0, 80)}" is no digest of a plan.`,
    advice: 'It has 64 hexadecimal digits; "toolquake experiment preview FILE" shows it.',
  });
}

/** Where approvals of a project are. */
export const approvalsFolder = (root: string): string => join(root, '.toolquake', 'approvals');

/** Writes an approval. Only a command that had a person type a word may call this. */
export function approve(place: ApprovalPlace, digest: string, who: string, now: Date, lastsMs: number = APPROVAL_LASTS_MS): Approval {
  const approval: Approval = {
    digest: digestOf(digest),
    who,
    at: now.toISOString(),
    expiresAt: new Date(now.getTime() + lastsMs).toISOString(),
    nonce: randomBytes(16).toString('hex'),
  };
  try {
    const text = `${JSON.stringify({ ...approval, signature: signatureOf(approval, keyOf(place, true)!) })}\n`;
    mkdirSync(approvalsFolder(place.root), { recursive: true });
    const path = pathOf(place, approval.digest);
    const draft = `${path}.${approval.nonce}`;
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (cause) {
    throw new ToolquakeError('NOT_WRITABLE', {
      message: `The approval cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
      advice: `Make ${approvalsFolder(place.root)} and ${place.stateFolder} folders of your own.`,
      cause,
    });
  }
  return approval;
}

/** Looks whether there is a good approval, and leaves it there. */
export function findApproval(place: ApprovalPlace, digest: string, now: Date): TakenApproval {
  const given = readApproval(pathOf(place, digestOf(digest)));
  if (given === undefined) return { why: 'nobody has approved this plan' };
  const { signature, approval } = given;
  const key = keyOf(place, false);
  if (key === undefined || !isSame(signature, signatureOf(approval, key)))
    return { why: 'its approval was not given on this host, or was changed' };
  if (approval.digest !== digestOf(digest)) return { why: 'its approval is for another plan' };
  if (!(Date.parse(approval.expiresAt) > now.getTime())) return { why: `its approval ended at ${approval.expiresAt}` };
  if (!(Date.parse(approval.at) <= now.getTime() + CLOCK_SLACK_MS)) return { why: 'its approval is from the future' };
  if (isUsed(place, approval)) return { why: 'its approval was used before' };
  return { approval };
}

/** Uses an approval up: of two runs that want it, one gets it. */
export function takeApproval(place: ApprovalPlace, digest: string, now: Date): TakenApproval {
  const found = findApproval(place, digest, now);
  if (!('approval' in found)) return found;
  try {
    mkdirSync(join(place.stateFolder, 'used-approvals'), { recursive: true, mode: 0o700 });
    // Written down for good before it counts: a copy of the file is worth nothing after this, also when we are killed.
    const marker = openSync(usedPath(place, found.approval), 'wx', 0o600);
    fsyncSync(marker);
    closeSync(marker);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return { why: 'its approval was used before' };
    return { why: `it cannot be written down that its approval was used: ${(error as Error).message}` };
  }
  rmSync(pathOf(place, found.approval.digest), { force: true });
  return found;
}

const pathOf = ({ root }: ApprovalPlace, digest: string): string => join(approvalsFolder(root), `${digest}.json`);
const usedPath = ({ stateFolder }: ApprovalPlace, { nonce }: Approval): string => join(stateFolder, 'used-approvals', nonce);
const isUsed = (place: ApprovalPlace, approval: Approval): boolean =>
  statSync(usedPath(place, approval), { throwIfNoEntry: false }) !== undefined;

function readApproval(path: string): { readonly approval: Approval; readonly signature: string } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const text = (key: string): string => (typeof (value as JsonObject)[key] === 'string' ? String((value as JsonObject)[key]) : '');
  const nonce = text('nonce');
  // It becomes the name of a file.
  if (!/^[0-9a-f]{32}$/.test(nonce)) return undefined;
  const approval = { digest: text('digest'), who: text('who'), at: text('at'), expiresAt: text('expiresAt'), nonce };
  return { approval, signature: text('signature') };
}

function signatureOf(approval: Approval, key: Buffer): string {
  return createHmac('sha256', key)
    .update(`toolquake approval\n${canonicalJson({ ...approval })}`)
    .digest('hex');
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The key of this host, for its owner alone; made by whoever comes first. */
function keyOf({ stateFolder }: ApprovalPlace, mayMake: boolean): Buffer | undefined {
  const path = join(stateFolder, 'approval-key');
  const known = keyIn(path);
  if (known !== undefined || !mayMake) return known;
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  makeWhole(path, randomBytes(32).toString('hex'));
  return keyIn(path);
}

/** A key that others can read signs nothing. */
function keyIn(path: string): Buffer | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return undefined;
  if (process.platform !== 'win32' && (status.mode & 0o077) !== 0) {
    throw new ToolquakeError('NOT_ALLOWED', {
      message: `Other users can read ${path}, which signs approvals.`,
      advice: 'Remove it: a new one is made, and plans have to be approved again.',
    });
  }
  const text = readFileSync(path, 'utf8').trim();
  return DIGEST.test(text) ? Buffer.from(text, 'hex') : undefined;
}
