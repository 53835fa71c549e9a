/** What is wrong with an experiment as a whole, though each of its values is fine: it could never be judged, or never be stopped. */
import { parsePath, pathText, suggest, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { Experiment } from '../core/experiment.js';
import { failureReasons, isFailureReason } from '../core/failure-reason.js';
import type { SteadyPhase } from '../core/sample.js';
import { timeWord } from '../core/time-word.js';
import { broughtBy, checkRules, timeOf, type ExperimentSurroundings, type Report } from './check-experiment-rules.js';
import type { Settings } from './experiment-settings.js';

/** Reports every problem. */
export function checkExperiment(reader: ValueReader, experiment: Experiment, around: ExperimentSurroundings): void {
  const { settings } = around;
  const report: Report = (path, message, advice) => {
    reader.report(path, 'IMPOSSIBLE', `${path.length === 0 ? 'The file' : pathText(path)} ${message}`, advice);
  };
  checkRules(reader, report, experiment, around);
  checkNames(reader, experiment);
  checkPaths(report, experiment);
  checkManager(reader, settings);
  checkOwn(report, experiment, around);
  checkDose(report, experiment, around);
  checkTimes(report, experiment);
  for (const [index, reason] of (experiment.expectAlert?.reasons ?? []).entries()) {
    if (isFailureReason(reason)) continue;
    const path = ['expect', 'alert', 'reasons', index];
    const advice = suggest(reason, failureReasons);
    report(path, `names no failure reason: "${reason}".`, advice.startsWith('Did') ? advice : 'docs/failure-reasons.md lists them.');
  }
}

function checkNames(reader: ValueReader, experiment: Experiment): void {
  for (const [key, words] of [
    ['actions', experiment.actions.map(({ id }) => id)],
    ['readings', experiment.readings.map(({ name }) => name)],
  ] as const) {
    words.forEach((word, index) => {
      if (words.indexOf(word) < index)
        reader.report(
          [key, index],
          'DUPLICATE_ID',
          `Two of the ${key} are called "${word}".`,
          key === 'actions' ? 'Give one an "id".' : 'Rename one.',
        );
    });
  }
}

/** A path that nobody can read finds nothing, and would say so only when everything is broken. */
function checkPaths(report: Report, { readings, load }: Experiment): void {
  const check = (text: string, path: PlanPath): void => {
    if (parsePath(text) === undefined) report(path, `is no path into an answer: ${JSON.stringify(text)}.`, 'For example: items[0].total');
  };
  readings.forEach((reading, index) => check(reading.path, ['readings', index, 'path']));
  if (load?.notEmpty !== undefined) check(load.notEmpty, ['load', 'notEmpty']);
}

function checkManager(reader: ValueReader, settings: Settings): void {
  const given = settings['manager'] as Settings | undefined;
  if (given === undefined) return;
  const words = Object.keys(given);
  if (words.length === 1 && given['own'] !== false) return;
  const message = words.length > 1 ? `manager says ${words.length} things: ${words.join(' and ')}.` : 'manager says nothing.';
  reader.report(
    ['manager'],
    words.length > 1 ? 'IMPOSSIBLE' : 'MISSING_KEY',
    message,
    'One of pm2, systemd, docker, pid, command and own: true.',
  );
}

/** Servers of our own are those of callers: without one there is nothing to hit, and nothing to look at. */
function checkOwn(report: Report, { manager, load }: Experiment, around: ExperimentSurroundings): void {
  if (manager?.kind !== 'own' || load !== undefined || broughtBy(around.actions).has('call')) return;
  report(['manager', 'own'], 'is true, and each caller starts a server of its own: nobody calls.', 'Add "load".');
}

function checkDose(report: Report, { dose, actions, limits }: Experiment, around: ExperimentSurroundings): void {
  if (actions.length === 0) report(['actions'], 'is empty: nothing would be broken.', 'For example: actions: [{ action: wait, for: 60s }]');
  if (dose.ladder.length === 0) report(['dose', 'ladder'], 'is empty.', 'For example: [10, 25, 50]');
  dose.ladder.forEach((percent, index) => {
    const before = dose.ladder[index - 1];
    if (before !== undefined && percent <= before)
      report(['dose', 'ladder', index], `is ${percent} after ${before}: each stage is larger than the one before.`);
  });
  const blasts = around.actions.map(({ blast }) => blast);
  if (dose.minFaulted > 0 && actions.length > 0 && !blasts.includes('calls'))
    report(['dose', 'minFaulted'], 'is for actions that hit single calls; these do not.', 'Leave it out.');
  if (dose.minFaulted > limits.maxFaultedCalls) {
    const path = around.settings['dose'] === undefined ? ['limits', 'maxFaultedCalls'] : ['dose', 'minFaulted'];
    report(path, `cannot be: at least ${dose.minFaulted} calls must be hit, and at most ${limits.maxFaultedCalls} may be.`);
  }
}

function checkTimes(report: Report, experiment: Experiment): void {
  const { times, lease, limits, monitor, load } = experiment;
  if (lease.ttlMs <= 2 * lease.heartbeatMs) {
    report(
      ['lease'],
      `ends after ${timeWord(lease.ttlMs)}, and signs of life come every ${timeWord(lease.heartbeatMs)}: one lost one would end the run.`,
      `ttl must be more than ${timeWord(2 * lease.heartbeatMs)}.`,
    );
  }
  const windowOf = (phase: SteadyPhase): number =>
    Math.max(0, ...experiment.steady.flatMap(({ phases, windowMs }) => (phases.includes(phase) ? [windowMs] : [])));
  // Steady is what was so for a whole window.
  const beforeMs = Math.max(times.beforeMs, windowOf('before'));
  const wholeMs = beforeMs + timeOf(experiment.actions) + Math.max(times.afterMs, windowOf('after'));
  if (wholeMs > limits.maxRuntimeMs) {
    report(
      ['limits', 'maxRuntime'],
      `is ${timeWord(limits.maxRuntimeMs)}, and before, the actions and after take ${timeWord(wholeMs)} together, windows included.`,
    );
  }
  if (monitor.everyMs < 100) report(['monitor', 'every'], 'is less than 100ms: that is load, not monitoring.');
  experiment.readings.forEach(({ everyMs }, index) => {
    if (everyMs < 100) report(['readings', index, 'every'], 'is less than 100ms: that is load, which no limit counts.');
  });
  if (monitor.everyMs > limits.maxRuntimeMs) report(['monitor', 'every'], 'is longer than the whole run may be.');
  if (monitor.slowFactor <= 1) report(['monitor', 'slowFactor'], 'must be more than 1: the quiet phase itself would be slow.');
  if (times.tickMs < 10 || times.tickMs > 2000)
    report(['times', 'tick'], 'must be from 10ms to 2s: a tripwire has to act within two seconds.');
  if (load !== undefined && (load.perSecond <= 0 || load.perSecond > 10_000))
    report(['load', 'perSecond'], 'must be more than 0 and at most 10000.');
}
