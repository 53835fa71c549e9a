/** A diff as text in one of its formats, and its exit code. */
import { createRequire } from 'node:module';
import type { Waiver } from '../gates/manifest/waivers.js';
import type { ManifestSide } from '../operations/manifest-side.js';
import type { Paint } from '../reporters/figures.js';
import { EXIT, wordOf, type CommandArguments, type CommandOption } from './command.js';

/** What `diff` and `lock --check` print. */
export const DIFF_OPTIONS: readonly CommandOption[] = [
  { flag: '--format', kind: 'text', value: 'FORMAT', default: 'console', about: 'What to print: console, json, markdown, sarif or junit.' },
  { flag: '--json', kind: 'switch', about: 'Print JSON: the same as --format json.' },
  { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
];

/** The format that was asked for. */
export const formatOf = (options: CommandArguments['options']): DiffFormat =>
  options['json'] === true ? 'json' : wordOf('--format', String(options['format']), ['console', 'json', 'markdown', 'sarif', 'junit']);

/** A way to print a diff. */
export type DiffFormat = 'console' | 'json' | 'markdown' | 'sarif' | 'junit';

/** What is compared. */
export type DiffPage = {
  readonly before: ManifestSide;
  readonly after: ManifestSide;
  readonly waivers: readonly Waiver[];
  readonly isStrict: boolean;
  readonly format: DiffFormat;
  readonly paint: Paint;
};

/** Compares, renders, and says how it ends. */
export async function diffPage({
  before,
  after,
  waivers,
  isStrict,
  format,
  paint,
}: DiffPage): Promise<{ readonly text: string; readonly exitCode: number }> {
  const [{ judgeManifests }, console, markdown, machine] = await Promise.all([
    import('../operations/judge-manifests.js'),
    import('../gates/manifest/render/console.js'),
    import('../gates/manifest/render/markdown.js'),
    import('../gates/manifest/render/machine.js'),
  ]);
  const report = judgeManifests({ before, after, waivers, isStrict, today: new Date().toISOString().slice(0, 10) });
  const exitCode = { compatible: EXIT.pass, incompatible: EXIT.failed, undecided: EXIT.inconclusive }[report.verdict];
  switch (format) {
    case 'console':
      return { exitCode, text: console.renderDiffConsole(report, { paint }) };
    case 'json':
      return { exitCode, text: machine.renderDiffJson(report) };
    case 'markdown':
      return { exitCode, text: markdown.renderDiffMarkdown(report) };
    case 'sarif': {
      const { version } = createRequire(import.meta.url)('toolquake/package.json') as { version: string };
      return { exitCode, text: machine.renderDiffSarif(report, version) };
    }
    case 'junit':
      return { exitCode, text: machine.renderDiffJunit(report) };
  }
}
