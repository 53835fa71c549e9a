/** What `experiment check`, `explain` and `preview` print. */
import { ToolquakeError } from '@toolquake/sdk/core';
import type { Action } from '../actions/action.js';
import * as kinds from '../actions/kinds/index.js';
import { explainExperiment, missingIn } from '../config/explain-experiment.js';
import { loadExperiment, readExperiment, type LoadedExperiment } from '../config/load-experiment.js';
import { planError } from '../config/load-plan.js';
import { timeWord } from '../core/time-word.js';
import { refusalsOf, type Refusal } from '../experiments/refusals.js';
import { isOnThisHost } from '../operations/consent.js';
import { previewExperiment, type ExperimentPreview, type PreviewedAction } from '../operations/preview-experiment.js';
import { previewWorld } from '../operations/preview-world.js';
import { printable } from '../reporters/escape.js';
import { EXIT, numberOf, textOf, type CommandArguments, type CommandIo } from './command.js';
import { coloursFor, renderTable, type Colours } from './terminal.js';

const catalogue: readonly Action[] = Object.values(kinds);

const fileOf = ({ positionals }: CommandArguments): string => positionals['FILE']!;

const load = (args: CommandArguments): Promise<LoadedExperiment> =>
  loadExperiment(fileOf(args), fileOf(args), { actions: kinds, project: textOf(args.options['config']) });

/** Checks a file; resolves to the exit code. */
export async function checkExperimentFile(args: CommandArguments, io: CommandIo): Promise<number> {
  const path = fileOf(args);
  const { loaded, problems } = await readExperiment(path, { actions: kinds, project: textOf(args.options['config']) });
  const refusals = loaded === undefined ? [] : refusalsOf(loaded.experiment, loaded.target, io.env);
  const missing = loaded === undefined ? [] : missingIn(loaded.experiment, loaded.target, catalogue);
  const isGood = loaded !== undefined && refusals.length === 0;
  if (args.options['json'] === true) {
    io.stdout.write(`${JSON.stringify({ file: path, isGood, experiment: loaded?.experiment.id, problems, refusals, missing }, null, 2)}\n`);
    return isGood ? EXIT.pass : EXIT.badInput;
  }
  if (loaded === undefined) throw planError(path, problems);
  if (refusals.length > 0) throw refusalError(refusals);
  const { experiment } = loaded;
  const colours = coloursFor(io.stdout, io.env);
  const words = experiment.actions.map(({ action }) => action).join(', ');
  io.stdout.write(
    `${colours.green('ok')} ${path}: ${experiment.id} on ${experiment.target}: ${words}; ${experiment.dose.ladder.join(', ')} %\n`,
  );
  for (const line of missing) io.stdout.write(`${colours.yellow('missing')} ${line}\n`);
  return EXIT.pass;
}

/** Says in words what a file would do. */
export async function explainExperimentFile(args: CommandArguments, io: CommandIo): Promise<number> {
  const loaded = await load(args);
  const parts = explainExperiment(loaded.experiment, loaded.target, catalogue);
  if (args.options['json'] === true) {
    io.stdout.write(`${JSON.stringify({ file: fileOf(args), experiment: loaded.experiment, parts }, null, 2)}\n`);
    return EXIT.pass;
  }
  const colours = coloursFor(io.stdout, io.env);
  const { id, owner } = loaded.experiment;
  io.stdout.write(`${colours.bold(id)}${owner === undefined ? '' : ` (${printable(owner)})`}\n`);
  const rows = parts.flatMap(({ title, lines }) => lines.map((line, index) => [index === 0 ? colours.dim(title) : '', printable(line)]));
  io.stdout.write(renderTable(rows, { width: io.stdout.columns ?? 100 }));
  return EXIT.pass;
}

/** Looks at what a stage would hit; changes nothing. */
export async function previewExperimentFile(args: CommandArguments, io: CommandIo): Promise<number> {
  const loaded = await load(args);
  const world = previewWorld(loaded, { env: io.env, signal: io.signal, folder: '.', tell: (line) => void io.stderr.write(`${line}\n`) });
  const preview = await previewExperiment(loaded, numberOf(args.options['stage']), { actions: catalogue, root: '.', world });
  if (args.options['json'] === true) {
    const { id, target } = loaded.experiment;
    io.stdout.write(
      `${JSON.stringify({ file: fileOf(args), experiment: id, target, consent: consentOf(loaded, preview), ...preview }, null, 2)}\n`,
    );
  } else {
    if (preview.refusals.length > 0) throw refusalError(preview.refusals);
    io.stdout.write(previewText(loaded, preview, coloursFor(io.stdout, io.env), io.stdout.columns ?? 100));
  }
  if (preview.refusals.length > 0 || !preview.ladder.isAllowed) return EXIT.badInput;
  return preview.actions.every(({ feasibility }) => feasibility.isFeasible) ? EXIT.pass : EXIT.environment;
}

function refusalError(refusals: readonly Refusal[]): ToolquakeError {
  const [first] = refusals;
  const message = refusals.map((one) => one.message).join('\n  ');
  return new ToolquakeError('NOT_ALLOWED', { message, advice: first?.advice });
}

/** Whose yes the stage needs. */
function consentOf({ experiment, target }: LoadedExperiment, { stage }: ExperimentPreview): 'yes' | 'terminal' | 'approval' {
  if (stage > 1 || stage >= experiment.approval.fromStage) return 'approval';
  return isOnThisHost(target) ? 'yes' : 'terminal';
}

const CONSENT_TEXT = {
  yes: '"--yes", or a yes at the terminal',
  terminal: 'a yes at the terminal, or an approval',
  approval: 'an approval: toolquake approve DIGEST, in a terminal',
} as const;

function previewText(loaded: LoadedExperiment, preview: ExperimentPreview, colours: Colours, width: number): string {
  const { experiment } = loaded;
  const { ladder } = preview;
  const rows: (readonly string[])[] = [
    [colours.dim('stage'), `${preview.stage} of ${experiment.dose.ladder.length}: ${preview.dose} % of the full dose`],
    [colours.dim('needs'), CONSENT_TEXT[consentOf(loaded, preview)]],
    [colours.dim('digest'), preview.planDigest],
    ...(ladder.isAllowed ? [] : [[colours.red('refused'), `${ladder.why} ${ladder.advice}`]]),
    ...(ladder.isAllowed && !ladder.counts
      ? [[colours.yellow('widen'), `It has held ${ladder.greens} times: another green does not count.`]]
      : []),
    ...(ladder.isAllowed ? ladder.widen.map((line) => ['', line]) : []),
  ];
  const head = `${colours.bold(experiment.id)} on ${experiment.target}: ${printable(experiment.question)}\n${renderTable(rows, { width })}`;
  return [head, ...preview.actions.map((action) => `\n${actionText(action, colours, width)}`), '\nNothing was changed.\n'].join('');
}

function actionText(
  { id, action, forMs, feasibility, hits, steps, problem, worstCase }: PreviewedAction,
  colours: Colours,
  width: number,
): string {
  const rows: (readonly string[])[] = feasibility.isFeasible
    ? [[colours.dim('can be done'), printable(feasibility.how)]]
    : [
        [colours.red('cannot be done'), printable(feasibility.why)],
        ['', printable(feasibility.act)],
      ];
  if (problem !== undefined) rows.push([colours.yellow('not known yet'), printable(problem)]);
  hits.forEach((hit, index) => rows.push([index === 0 ? colours.dim('hits') : '', printable(hit)]));
  steps.forEach(({ name, undo }, index) =>
    rows.push([
      colours.dim(`step ${index + 1}`),
      `${printable(name)}; ${undo === null ? 'there is nothing to undo' : `undone by ${undo}`}`,
    ]),
  );
  rows.push([colours.dim('at worst'), worstCase]);
  return `${colours.bold(id)}: ${action} for ${timeWord(forMs)}\n${renderTable(rows, { width, indent: 2 })}`;
}
