/** TARGET on the command line, one meaning for every gate: a URL, a name from toolquake.yaml, or a command after `--`. */
import { suggest, ToolquakeError } from '@toolquake/sdk/core';
import type { ConfiguredTarget } from '../config/configured-target.js';
import { findProject, unknownTarget, type Project } from '../config/load-project.js';
import { PLAIN_PROBE } from '../core/expectation.js';
import { textOf, wordOf, type CommandArguments, type CommandOption } from './command.js';

/** Options that every command with targets has. */
export const TARGET_OPTIONS: readonly CommandOption[] = [
  { flag: '--config', kind: 'text', value: 'FILE', about: 'The file that describes targets; toolquake.yaml here, where there is one.' },
  { flag: '--era', kind: 'text', value: 'ERA', about: 'Protocol era: auto, modern or legacy. What the file says, or auto.' },
];

/** What the help says about the rest after `--`. */
export const TARGET_REST = {
  name: 'CMD ARGS...',
  about: 'Instead of TARGET: the command that starts a server on stdio.',
  isRequired: false,
} as const;

/** The help of the positional. */
export const TARGET_ABOUT = 'A URL, or a name from toolquake.yaml.';

/** The targets that the command line names; without any, all of toolquake.yaml. `words` are the positionals. */
export async function targetsOf(args: CommandArguments, words: readonly string[] = args.words): Promise<readonly ConfiguredTarget[]> {
  const given = textOf(args.options['era']);
  const era = given === undefined ? undefined : wordOf('--era', given, ['auto', 'modern', 'legacy']);
  const named = textOf(args.options['config']);
  const project =
    named !== undefined || words.some((word) => !isUrl(word)) || (words.length === 0 && args.rest.length === 0)
      ? await findProject('.', named)
      : undefined;
  const targets = words.map((word) => (isUrl(word) ? urlTarget(word, project) : namedTarget(word, project)));
  if (args.rest.length > 0) targets.push(plain({ name: args.rest.join(' ').slice(0, 60), kind: 'command', command: args.rest }));
  if (targets.length === 0) targets.push(...allOf(project));
  return era === undefined ? targets : targets.map((one) => ({ ...one, target: { ...one.target, era } }));
}

/** The one target of a command that takes one. */
export async function targetOf(args: CommandArguments, words: readonly string[] = args.words): Promise<ConfiguredTarget> {
  const targets = await targetsOf(args, words);
  const [target] = targets;
  if (target !== undefined && targets.length === 1) return target;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `One target is needed, and here are ${targets.length}: ${targets.map((one) => one.target.name).join(', ')}.`,
    advice: 'Name one of them.',
  });
}

const isUrl = (word: string): boolean => /^https?:\/\//i.test(word);
const plain = (target: ConfiguredTarget['target']): ConfiguredTarget => ({ target, plan: PLAIN_PROBE, manifest: undefined, labels: {} });

function urlTarget(word: string, project: Project | undefined): ConfiguredTarget {
  if (!URL.canParse(word)) {
    throw new ToolquakeError('BAD_ARGUMENT', { message: `"${word}" is no URL.`, advice: 'For example: http://127.0.0.1:3001/mcp' });
  }
  // A URL that is configured is that target, with all that the file says about it.
  const known = project?.targets.find(({ target }) => target.kind === 'url' && target.url === word);
  const { username, password, host, pathname } = new URL(word);
  if (username !== '' || password !== '') {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: `The URL of ${host} holds a user or a password, which would be shown in reports.`,
      advice: 'Describe the target in toolquake.yaml, with "auth" or "headers" that refer to the environment.',
    });
  }
  return known ?? plain({ name: `${host}${pathname === '/' ? '' : pathname}`, kind: 'url', url: word });
}

function namedTarget(word: string, project: Project | undefined): ConfiguredTarget {
  const found = project?.targets.find(({ target }) => target.name === word);
  if (found !== undefined) return found;
  const names = project?.targets.map(({ target }) => target.name) ?? [];
  const advice = names.length === 0 ? 'A target is a URL, a name from toolquake.yaml, or a command after "--".' : suggest(word, names);
  throw unknownTarget(word, project, advice);
}

function allOf(project: Project | undefined): readonly ConfiguredTarget[] {
  if (project !== undefined && project.targets.length > 0) return project.targets;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: project === undefined ? 'There is no target.' : `${project.path} describes no targets.`,
    advice: 'Name a URL, a target of toolquake.yaml, or a command after "--".',
  });
}
