/** The actions of an experiment as the engine drives them: at the dose of a stage, in the world of a run. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { Action, ActionWorld } from '../actions/action.js';
import * as kinds from '../actions/kinds/index.js';
import type { ActionStep, Blast, Experiment } from '../core/experiment.js';
import { longestFaultMs } from '../experiments/during.js';
import type { RunAction } from '../experiments/ports.js';

/** An action of a stage: the step of the file, with the parameters that this dose makes of it. */
export type StagedAction = { readonly action: Action; readonly step: ActionStep; readonly lastsMs: number };

/** The actions at the dose of a stage, in percent. A step lasts for as long as the fault may, and then for as long as a lease may. */
export function actionsAt(experiment: Experiment, dose: number): readonly StagedAction[] {
  const wholeMs = longestFaultMs(experiment);
  return experiment.actions.map((step) => {
    const action = actionOf(step.action);
    return {
      action,
      step: dosed(action, step, dose / 100),
      lastsMs: wholeMs + experiment.lease.ttlMs,
    };
  });
}

/** A step at a share of its dose. What is there or not, and has no size of its own, is there for a shorter time. */
export function dosed(action: Pick<Action, 'blast' | 'scale'>, step: ActionStep, share: number): ActionStep {
  const params = action.scale(step.params, share);
  const isWhole = action.blast === 'server' && params === step.params;
  return { ...step, params, forMs: isWhole ? Math.max(1, Math.round(step.forMs * share)) : step.forMs };
}

/** The action of a word that was checked when the file was read. */
function actionOf(word: string): Action {
  const action = Object.values<Action>(kinds).find(({ type }) => type === word);
  if (action === undefined) throw new Error(`There is no action "${word}".`);
  return action;
}

/** What an experiment hits at most: single calls where all of its actions stop there. */
export function blastOf(experiment: Pick<Experiment, 'actions'>): Blast {
  const blasts = experiment.actions.map(({ action }) => actionOf(action).blast);
  return blasts.includes('server') ? 'server' : blasts.includes('calls') ? 'calls' : 'none';
}

/** As the engine takes it. */
export function runAction({ action, step, lastsMs }: StagedAction, world: ActionWorld): RunAction {
  return {
    step,
    blast: action.blast,
    about: aboutOf(action, step.params),
    prepare: () => action.prepare(step.params, { ...world, lastsMs }),
  };
}

/** One line for the timeline. Parameters of actions hold no secrets: only names of variables. */
export function aboutOf({ type, summary, about }: Pick<Action, 'type' | 'summary' | 'about'>, params: JsonObject): string {
  if (about !== undefined) return `${type}: ${about(params).slice(0, 200)}`;
  const words = Object.entries(params).flatMap(([name, value]) => (isPlain(value) ? [`${name} ${value}`] : []));
  return words.length === 0 ? summary : `${type}: ${words.join(', ').slice(0, 200)}`;
}

const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);
