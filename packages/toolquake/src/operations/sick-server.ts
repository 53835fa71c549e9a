/** Starts a sick server, and writes the toolquake.yaml with which a prober meets its trouble. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { FailureReason } from '../core/failure-reason.js';
import { ailments } from '../sick-servers/catalogue.js';

/** A server that runs until it is stopped. */
export type SickServerRun = {
  readonly url: string;
  /** A toolquake.yaml with one target, named after the reason. */
  readonly settings: string;
  /** Variables that the prober needs. Their values are made up, and open no door. */
  readonly variables: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
};

/** Starts the server of a reason; undefined when none produces it over HTTP. */
export async function startSickServer(reason: FailureReason): Promise<SickServerRun | undefined> {
  const start = ailments[reason];
  if (start === undefined) return undefined;
  const { url, authority, settings, variables = {}, stop } = await start();
  let folder: string | undefined;
  let caFile: string | undefined;
  if (authority !== undefined) {
    folder = mkdtempSync(join(tmpdir(), 'toolquake-fixture-'));
    caFile = join(folder, 'authority.pem');
    writeFileSync(caFile, authority);
  }
  const target = { name: reason, url, ...(caFile === undefined ? {} : { caFile }), ...settings };
  return {
    url,
    settings: stringify({ version: 1, targets: [target] }),
    variables,
    async stop() {
      await stop();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
