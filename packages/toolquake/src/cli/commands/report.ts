import { resolve } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import { defineCommand, EXIT, textOf, wordOf } from '../command.js';

/** Journals, rendered. */
export const report = defineCommand({
  name: 'report',
  summary: 'Renders journals: what was run, what broke, what contained it.',
  positionals: [{ name: 'FILE', about: 'A journal (JSONL) or a run directory; several are read as one.', isRepeated: true }],
  options: [
    { flag: '--html', kind: 'text', value: 'FILE', about: 'Also write a page with plots: one file, works offline.' },
    {
      flag: '--format',
      kind: 'text',
      value: 'FORMAT',
      default: 'console',
      about: 'What to print: console, json, markdown or junit.',
    },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text: the same as --format json.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
  ],
  examples: [
    'toolquake report run.jsonl',
    'toolquake report run.jsonl --html report.html',
    'toolquake report runs/monday',
    'toolquake report *.jsonl --format markdown --out summary.md',
  ],
  async handle({ options, words }, io) {
    const format =
      options['json'] === true ? 'json' : wordOf('--format', String(options['format']), ['console', 'json', 'markdown', 'junit']);
    const [out, html] = [textOf(options['out']), textOf(options['html'])];
    refuseOverwriting(words, [out, html]);
    const { runJournalAt } = await import('../../operations/run-journal.js');
    const run = words.map(runJournalAt).find((journal) => journal !== undefined);
    if (run !== undefined) {
      refuseSeveral(words);
      const { reportRun } = await import('../run-pages.js');
      return reportRun(run, { format, out, html, subject: words.join(', ') }, io);
    }
    const [{ digestJournals }, { openResult }, { renderReport }, { PLAIN }, { coloursFor, withProgress }] = await Promise.all([
      import('../../operations/report.js'),
      import('../../operations/result-file.js'),
      import('../../reporters/report.js'),
      import('../../reporters/figures.js'),
      import('../terminal.js'),
    ]);
    const digest = await withProgress(io, 'reading', (onProgress) => digestJournals({ paths: words, signal: io.signal, onProgress }));
    // Both places are looked at before either is written.
    const page = html === undefined ? undefined : openResult(html, io.stdout);
    const result = openResult(out, io.stdout);
    const context = { subject: words.join(', '), paint: out === undefined ? coloursFor(io.stdout, io.env) : PLAIN };
    page?.write(renderReport(digest, 'html', context));
    result.write(renderReport(digest, format, context));
    const [{ brokenExpectations, storyOf }, { expectationText }] = await Promise.all([
      import('../../reporters/story.js'),
      import('../../reporters/task-rows.js'),
    ]);
    const silent = storyOf(digest).neverFired;
    const broken = brokenExpectations(digest);
    for (const one of broken) io.stderr.write(`The plan's expectation is broken: ${expectationText(one)}.\n`);
    // A run whose faults never happened says nothing about bounds, kept or broken: that it tested nothing comes first.
    if (silent.length === 0) return broken.length === 0 ? EXIT.pass : EXIT.failed;
    io.stderr.write(
      `${silent.map(({ id }) => JSON.stringify(id)).join(', ')} never fired: what never happened was not tested, so this is no pass.\n`,
    );
    return EXIT.neverFired;
  },
});

/** Runs of experiments are told one by one: their control lanes have nothing to do with each other. */
function refuseSeveral(words: readonly string[]): void {
  if (words.length === 1) return;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: 'The journal of an experiment is reported by itself, not together with others.',
    advice: 'Name one of them; "toolquake runs" lists what was run.',
  });
}

/** A report in the place of its own journal would be the last one. */
function refuseOverwriting(inputs: readonly string[], outputs: readonly (string | undefined)[]): void {
  const places = outputs.flatMap((path) => (path === undefined ? [] : [path]));
  const taken = places.find((path, index) => inputs.some((input) => resolve(input) === resolve(path)) || places.indexOf(path) !== index);
  if (taken === undefined) return;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${taken} is named twice: a report may overwrite neither its journal nor another report.`,
    advice: 'Name another file.',
  });
}
