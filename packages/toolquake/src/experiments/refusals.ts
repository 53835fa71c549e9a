/** Why an experiment must not run here at all: production. Asked when a file is checked, at the start, and at every tick. */
import { domainToUnicode } from 'node:url';
import type { Experiment } from '../core/experiment.js';
import { beginsLikeProduction, keyWordsOf, namesProduction } from './production.js';

/** One reason, in the name of the rule that refuses. */
export type Refusal = {
  readonly rule:
    | 'environment-variable'
    | 'experiment-environment'
    | 'label'
    | 'target-name'
    | 'target-address'
    | 'target-command'
    | 'manager'
    | 'action';
  readonly message: string;
  readonly advice: string;
};

/** A target as far as these rules look at it. */
export type RefusableTarget = {
  readonly target:
    | { readonly name: string; readonly kind: 'url'; readonly url: string }
    | {
        readonly name: string;
        readonly kind: 'command';
        readonly command: readonly string[];
        readonly env?: Readonly<Record<string, string>> | undefined;
      };
  readonly labels: Readonly<Record<string, string>>;
};

type Environment = Readonly<Record<string, string | undefined>>;

const WITNESSES = ['NODE_ENV', 'ENVIRONMENT'] as const;
const PLACES = ['env', 'environment', 'cluster', 'namespace', 'stage'];
/** `production: false` is said on purpose; everything else under that key is not. */
const NO = ['false', 'no', '0', 'off', 'none', ''];
const ELSEWHERE = 'Run it against staging, or a copy of your own.';

/** Every reason; empty when there is none. */
export function refusalsOf(
  experiment: Pick<Experiment, 'environment' | 'labels' | 'target' | 'manager' | 'actions'>,
  target: RefusableTarget,
  env: Environment,
): readonly Refusal[] {
  return [
    ...variablesOf(env, 'the environment'),
    ...(beginsLikeProduction(experiment.environment)
      ? [refusal('experiment-environment', `the experiment says environment: ${shown(experiment.environment)}`)]
      : []),
    ...labelRefusals(experiment.labels, 'the experiment'),
    ...labelRefusals(target.labels, 'the target'),
    ...[...new Set([target.target.name, experiment.target])]
      .filter(namesProduction)
      .map((name) => refusal('target-name', `the target is called ${shown(name)}`)),
    ...addressRefusals(target.target),
    ...managerRefusals(experiment.manager),
    ...experiment.actions.flatMap(actionRefusals),
  ];
}

function refusal(rule: Refusal['rule'], why: string, advice = ELSEWHERE): Refusal {
  return { rule, message: `Experiments never run in production, and ${why}.`, advice };
}

function variablesOf(env: Environment, whose: string): readonly Refusal[] {
  return WITNESSES.filter((name) => beginsLikeProduction(env[name] ?? '')).map((name) =>
    refusal('environment-variable', `${name} of ${whose} is ${shown(env[name] ?? '')}`, `${ELSEWHERE} If this is none, unset ${name}.`),
  );
}

function labelRefusals(labels: Readonly<Record<string, string>>, whose: string): readonly Refusal[] {
  return Object.entries(labels)
    .filter(([key, value]) => {
      if (namesProduction(key)) return !NO.includes(value.trim().toLowerCase());
      return keyWordsOf(key).some((word) => PLACES.includes(word)) && beginsLikeProduction(value);
    })
    .map(([key, value]) => refusal('label', `${whose} has the label ${shown(key)}: ${shown(value)}`));
}

function addressRefusals(target: RefusableTarget['target']): readonly Refusal[] {
  if (target.kind === 'command') {
    const word = target.command.find(namesProduction);
    return [
      ...variablesOf(target.env ?? {}, 'the target'),
      ...(word === undefined ? [] : [refusal('target-command', `the command of the target says ${shown(word)}`)]),
    ];
  }
  if (!readingsOf(target.url).some(namesProduction)) return [];
  const host = URL.canParse(target.url) ? new URL(target.url).host : 'an address that says so';
  return [refusal('target-address', `the target is at ${host}`)];
}

/** An address as it was written, and as whoever connects reads it. */
function readingsOf(address: string): readonly string[] {
  if (!URL.canParse(address)) return [address];
  const { href, hostname } = new URL(address);
  return [address, href, domainToUnicode(hostname)];
}

/** What an action hits need not be the target: parameters of these names say where it is. */
const WHERE = ['host', 'admin', 'adminUrl', 'adminUrls', 'namespace', 'user', 'command'];

function actionRefusals({ id, params }: Experiment['actions'][number]): readonly Refusal[] {
  const word = WHERE.flatMap((name) => params[name] ?? []).find(
    (text): text is string => typeof text === 'string' && readingsOf(text).some(namesProduction),
  );
  return word === undefined ? [] : [refusal('action', `the action "${id}" is about ${shown(word)}`)];
}

function managerRefusals(manager: Experiment['manager']): readonly Refusal[] {
  if (manager === undefined) return [];
  const words = 'name' in manager ? [manager.name] : manager.kind === 'command' ? manager.command : [];
  const word = words.find(namesProduction);
  return word === undefined ? [] : [refusal('manager', `its process is ${shown(word)}`)];
}

const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
