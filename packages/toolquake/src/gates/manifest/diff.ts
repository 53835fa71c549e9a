/** Everything that changed between two manifests, worst first within each subject. */
import { diffListed } from './diff-listed.js';
import { diffServer } from './diff-server.js';
import { diffTools, isBreaking } from './diff-tools.js';
import { findingOf, type Finding, type Teller } from './finding.js';
import type { Level } from './level.js';
import type { Manifest } from './manifest.js';

/** Findings beyond this are counted, not kept: nobody reads them, and a hostile pair of manifests can make millions. */
const MAX_FINDINGS = 20_000;

const isGrave = (level: Level): boolean => level !== 'compatible' && level !== 'may-break';

/** What came of a comparison. `unlisted` findings were left out. */
export type ManifestDiff = { readonly findings: readonly Finding[]; readonly unlisted: number };

/** Compares two manifests. */
export function diffManifests(before: Manifest, after: Manifest): ManifestDiff {
  const findings: Finding[] = [];
  let unlisted = 0;
  const tellerOf =
    (subject: string, prefix: readonly string[]): Teller =>
    (id, steps, parts) => {
      const finding = findingOf(id, subject, [...prefix, ...steps], parts);
      // There is room of their own for what can turn the gate red, so that leaving out never turns it green.
      const room = finding.levels.some(isGrave) ? 2 * MAX_FINDINGS : MAX_FINDINGS;
      if (findings.length < room) findings.push(finding);
      else unlisted++;
    };
  const tellServer = tellerOf('server', []);
  diffServer(before, after, tellServer);
  diffTools(before, after, tellerOf);
  diffListed(before, after, tellerOf);
  const [old, now] = [before, after].map(({ server }) => semverOf(server['version']));
  if (old !== undefined && now !== undefined && findings.some(isBreaking) && isMajorKept(old, now)) {
    tellServer('server.major-version-kept', ['server', 'version'], { before: before.server['version'], after: after.server['version'] });
  }
  return { findings, unlisted };
}

type Semver = readonly [major: number, minor: number];

function semverOf(version: unknown): Semver | undefined {
  const [, major, minor] = /^v?(\d{1,9})\.(\d{1,9})\.\d{1,9}(?:[-+].*)?$/.exec(String(version)) ?? [];
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)];
}

/** Below 1.0 the minor version is the one that breaks. */
const isMajorKept = ([oldMajor, oldMinor]: Semver, [major, minor]: Semver): boolean =>
  major === oldMajor && (major > 0 || minor === oldMinor);
