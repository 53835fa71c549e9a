/** Whom a target trusts. */
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { TargetFailure } from '../core/connection.js';
import type { TargetDefinition } from './target.js';

/** The usual certificates and those of the target's `caFile`; undefined when it names none, or has no URL. */
export async function authoritiesOf(target: TargetDefinition): Promise<readonly string[] | undefined> {
  const path = target.kind === 'url' ? target.caFile : undefined;
  if (path === undefined) return undefined;
  const own = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new TargetFailure({ reason: 'probe_config_error', step: 'tls', detail: `the certificates in ${path} cannot be read`, cause });
  });
  return [...rootCertificates, own];
}
