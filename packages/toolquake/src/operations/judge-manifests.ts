/** Compares two manifests and judges what came of it. */
import { diffManifests } from '../gates/manifest/diff.js';
import type { DiffReport } from '../gates/manifest/render/report.js';
import { verdictOf } from '../gates/manifest/verdict.js';
import { applyWaivers, type Waiver } from '../gates/manifest/waivers.js';
import { createLocator, type ManifestSide } from './manifest-side.js';

/** What is judged. `today` decides which waivers still count. */
export type JudgeOptions = {
  readonly before: ManifestSide;
  readonly after: ManifestSide;
  readonly waivers: readonly Waiver[];
  readonly isStrict: boolean;
  readonly today: string;
};

/** A report about two manifests. */
export function judgeManifests({ before, after, waivers, isStrict, today }: JudgeOptions): DiffReport {
  const { findings, unlisted } = diffManifests(before.manifest, after.manifest);
  const { judged, unused } = applyWaivers(findings, waivers, today);
  const locate = after.file === undefined ? undefined : createLocator(after.text);
  return {
    oldName: before.name,
    newName: after.name,
    ...(after.file === undefined ? {} : { file: after.file }),
    verdict: verdictOf(judged, isStrict),
    isStrict,
    findings: judged,
    unused,
    unlisted,
    lineOf: (pointer) => locate?.(stepsOf(pointer)),
  };
}

const stepsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
