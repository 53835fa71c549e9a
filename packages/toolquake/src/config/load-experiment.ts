/** From an experiment file to a checked experiment and its target. Errors carry file, line, column and the nearest good word. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  describeValue,
  isObject,
  pathText,
  suggest,
  ToolquakeError,
  type JsonObject,
  type PlanPath,
  type PlanProblem,
  type ValueReader,
} from '@toolquake/sdk/core';
import type { Action } from '../actions/action.js';
import type { Experiment } from '../core/experiment.js';
import { checkExperiment } from './check-experiment.js';
import type { ConfiguredTarget } from './configured-target.js';
import { EXPERIMENT_FIELDS, OTHER_WORDS } from './experiment-fields.js';
import { experimentOf, type KnownStep, type Settings } from './experiment-settings.js';
import { readSettings, settingReader } from './field.js';
import { locateAll, planError } from './load-plan.js';
import { findProject } from './load-project.js';
import { readPlanFile } from './plan-file.js';
import { parseText, type TextProblem } from './plan-text.js';
import { readTarget } from './read-target.js';

/** Actions by any name; each says its own word. */
export type ActionCatalogue = Readonly<Record<string, Action>>;

/** What a file is read with. */
export type LoadExperimentOptions = {
  readonly actions: ActionCatalogue;
  /** The file that describes targets; else toolquake.yaml beside the experiment, else the one in the working folder. */
  readonly project?: string | undefined;
};

/** An experiment that may be run, as far as its file can say. */
export type LoadedExperiment = {
  readonly experiment: Experiment;
  readonly target: ConfiguredTarget;
  /** The file as it was. */
  readonly text: string;
  /** Where paths in it start. */
  readonly folder: string;
};

/** What came of a text: an experiment exactly when there are no problems. */
export type ExperimentReading = { readonly loaded: LoadedExperiment | undefined; readonly problems: readonly TextProblem[] };

/** The experiment in a file, or one `ToolquakeError` that lists everything that is wrong with it. `shown` stands in messages. */
export async function loadExperiment(shown: string, path: string, options: LoadExperimentOptions): Promise<LoadedExperiment> {
  const { loaded, problems } = await readExperiment(path, options);
  if (loaded === undefined) throw planError(shown, problems);
  return loaded;
}

/** Like `loadExperiment`, with problems as a value. A file that cannot be read still throws. */
export async function readExperiment(path: string, options: LoadExperimentOptions): Promise<ExperimentReading> {
  return readExperimentText(await readPlanFile(path), dirname(resolve(path)), options);
}

/** Checks the text of an experiment in a folder. */
export async function readExperimentText(text: string, folder: string, options: LoadExperimentOptions): Promise<ExperimentReading> {
  const parsed = parseText(text);
  if (parsed.problems.length > 0) return { loaded: undefined, problems: parsed.problems.map(ofExperiment) };
  const reader = settingReader();
  const settings = readSettings(reader, parsed.value, [], EXPERIMENT_FIELDS);
  const steps = await stepsOf(reader, parsed.value, settings, { actions: Object.values(options.actions), folder });
  // What the table refused would only break what looks closer.
  if (reader.problems.length === 0) {
    const target = await targetOf(reader, settings, folder, options.project);
    const experiment = experimentOf(settings, steps, target);
    checkExperiment(reader, experiment, { settings, target, actions: steps.map(({ action }) => action) });
    if (reader.problems.length === 0 && target !== undefined) return { loaded: { experiment, target, text, folder }, problems: [] };
  }
  return { loaded: undefined, problems: locateAll(parsed, reader.problems.map(inOurWords)) };
}

/** Every step whose action is known, with its parameters by the table of that action. */
async function stepsOf(
  reader: ValueReader,
  value: unknown,
  settings: Settings,
  { actions, folder }: { readonly actions: readonly Action[]; readonly folder: string },
): Promise<readonly KnownStep[]> {
  const given: unknown = isObject(value) ? value['actions'] : undefined;
  const steps: KnownStep[] = [];
  for (const [index, step] of (Array.isArray(given) ? given : []).entries() as Iterable<[number, unknown]>) {
    const word = isObject(step) ? step['action'] : undefined;
    if (!isObject(step) || typeof word !== 'string') continue;
    const path = ['actions', index];
    const action = actions.find(({ type }) => type === word);
    if (action === undefined) {
      const words = actions.map(({ type }) => type);
      const message = `${pathText(path)} has the unknown action ${describeValue(word)}.`;
      reader.report([...path, 'action'], 'BAD_ARGUMENT', message, suggest(word, words));
      continue;
    }
    const known = reader.problems.length;
    // Settings come from JSON-like text, and reading them only changes times into numbers.
    const read = readSettings(reader, step['params'] ?? {}, [...path, 'params'], action.params) as JsonObject;
    const params = reader.problems.length === known ? await settledParams(reader, action, read, [...path, 'params'], folder) : read;
    steps.push({ settings: (settings['actions'] as readonly Settings[])[index]!, action, params });
  }
  return steps;
}

/** What the action itself has to say about its parameters stands where they stand. */
async function settledParams(reader: ValueReader, action: Action, params: JsonObject, path: PlanPath, folder: string): Promise<JsonObject> {
  try {
    return (await action.settle?.(params, folder)) ?? params;
  } catch (error) {
    if (!(error instanceof ToolquakeError)) throw error;
    reader.report(path, error.code === 'UNKNOWN_KEY' ? 'BAD_ARGUMENT' : error.code, error.message, error.advice);
    return params;
  }
}

async function targetOf(
  reader: ValueReader,
  settings: Settings,
  folder: string,
  named: string | undefined,
): Promise<ConfiguredTarget | undefined> {
  const given = settings['target'];
  if (typeof given !== 'string') {
    const known = reader.problems.length;
    const target = await readTarget(reader, { name: settings['id'], ...(given as Settings) }, ['target'], { folder });
    return reader.problems.length === known ? target : undefined;
  }
  const besides = join(folder, 'toolquake.yaml');
  const project = await findProject('.', named ?? (existsSync(besides) ? besides : undefined));
  const found = project?.targets.find(({ target }) => target.name === given);
  if (found !== undefined) return found;
  const names = project?.targets.map(({ target }) => target.name) ?? [];
  const where = project === undefined ? 'there is no toolquake.yaml beside the file or here' : `${project.path} describes no such target`;
  return reader.report(
    ['target'],
    'BAD_ARGUMENT',
    `target is ${describeValue(given)}, and ${where}.`,
    names.length === 0 ? 'Describe it here: target: { url: http://127.0.0.1:3001/mcp }' : suggest(given, names),
  );
}

/** Problems of a text, which know plans alone. */
function ofExperiment(problem: TextProblem): TextProblem {
  const message = problem.message.replace(/^A plan is/, 'An experiment is');
  if (problem.code !== 'EMPTY_INPUT') return { ...problem, message };
  const needed = Object.keys(EXPERIMENT_FIELDS).filter((key) => EXPERIMENT_FIELDS[key]!.isRequired === true);
  return { ...problem, message, advice: `An experiment needs ${needed.join(', ')}.` };
}

/** Problems of a plan as those of an experiment, with the right word for one of another format. */
function inOurWords(problem: PlanProblem): PlanProblem {
  const message = problem.message.replace(/^the plan /, 'The file ');
  const word = problem.code === 'UNKNOWN_KEY' ? OTHER_WORDS.get(String(problem.path.at(-1))) : undefined;
  return { ...problem, message, ...(word === undefined ? {} : { advice: `Here it is called "${word}".` }) };
}
