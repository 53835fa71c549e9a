/** What a person approved, and what stages of one ladder have in common, as hashes. Equal for equal meaning: the order of keys never matters. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '@toolquake/sdk/core';
import type { Experiment } from '../core/experiment.js';
import { isThisMachine } from '../core/this-machine.js';

/** A target as far as its identity goes. */
export type IdentifiedTarget = {
  readonly target:
    | { readonly name: string; readonly kind: 'url'; readonly url: string }
    | { readonly name: string; readonly kind: 'command'; readonly command: readonly string[]; readonly cwd?: string | undefined };
};

/**
 * One text for one server, however its address is spelled: without credentials, query (it may hold a key) and slashes that mean
 * nothing; or the command that starts it.
 */
export function targetIdentityOf({ target }: IdentifiedTarget): string {
  if (target.kind === 'command') return canonicalJson({ command: target.command, cwd: target.cwd });
  if (!URL.canParse(target.url)) return target.url;
  const { protocol, hostname, port, pathname } = new URL(target.url);
  const name = hostname.replace(/\.$/, '');
  const path = pathname
    .replace(/%[0-9a-f]{2}/gi, unescaped)
    .replaceAll(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '');
  return `${protocol}//${isThisMachine(name) ? 'localhost' : name}${port === '' ? '' : `:${port}`}${path}`;
}

/** A letter that needed no escape; every other escape stays, in small letters. */
function unescaped(escape: string): string {
  const letter = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
  return /[\w.~-]/.test(letter) ? letter : escape.toLowerCase();
}

/** The identity as a hash, for what is kept: commands may hold what nobody else should read. */
export const targetDigestOf = (identity: string): string => sha256({ of: 'target', identity });

/** Of what is injected, the dose left out. A longer time or another parameter is another fault. */
export function faultDigest(experiment: Experiment): string {
  return sha256({ of: 'faults', actions: experiment.actions.map(({ action, params, forMs }) => ({ action, params, forMs })) });
}

/** What is about to be done to whom: approving one plan approves no other. */
export type PlanOfRun = {
  readonly experiment: Experiment;
  readonly stage: number;
  /** What `targetIdentityOf` says. */
  readonly targetIdentity: string;
  /** All that the target is described by, wherever that stands: another variable for its server is another plan. */
  readonly target?: object | undefined;
  /** The build that was seen, where anybody looked. */
  readonly build?: string | undefined;
};

/** Of everything that a person agrees to. */
export function planDigest({ experiment, stage, targetIdentity, target, build }: PlanOfRun): string {
  return sha256({ of: 'plan', experiment, stage, targetIdentity, target: target ?? null, build: build ?? null });
}

function sha256(value: object): string {
  // Undefined members come and go with spreads, and mean nothing.
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return createHash('sha256').update(canonicalJson(plain)).digest('hex');
}
