import { defineCommand } from '../command.js';
import { TARGET_ABOUT, TARGET_OPTIONS, TARGET_REST } from '../targets.js';

/** Did this deployment succeed? */
export const smoke = defineCommand({
  name: 'smoke',
  summary: 'Did this deployment succeed? Hello, version, manifest, representative calls and authentication, within 25 s.',
  positionals: [{ name: 'TARGET', about: TARGET_ABOUT, isOptional: true }],
  rest: TARGET_REST,
  options: [
    ...TARGET_OPTIONS,
    {
      flag: '--lock',
      kind: 'text',
      value: 'FILE',
      about: 'Lock file of the manifest; that of the target in toolquake.yaml unless told otherwise.',
    },
    { flag: '--waivers', kind: 'text', value: 'FILE', about: 'Changes of the manifest that somebody accepted (JSON).' },
    { flag: '--strict', kind: 'switch', about: 'Changed texts of the manifest fail, too.' },
    { flag: '--expect-version', kind: 'text', value: 'VERSION', about: 'The version that serverInfo must show, in every hello.' },
    {
      flag: '--hellos',
      kind: 'integer',
      value: 'COUNT',
      min: 1,
      max: 100,
      about: 'Connections that must meet the same build; 5 for URLs, else 1.',
    },
    {
      flag: '--call',
      kind: 'text',
      value: 'TOOL JSON',
      isRepeatable: true,
      about: `A call that must be answered without an error, besides the canaries of the file: 'search {"q":"shoes"}'.`,
    },
    { flag: '--args', kind: 'text', value: 'JSON', about: 'Arguments of a single --call that names none.' },
    { flag: '--allow-writes', kind: 'switch', about: 'Also call tools that do not say that they only read.' },
    { flag: '--require-auth', kind: 'switch', about: 'Fail when a stranger is answered, also where the target has no credential.' },
    { flag: '--wait', kind: 'text', value: 'TIME', about: 'Wait for the server to be ready, at most this long; 15s for URLs, else 0s.' },
    {
      flag: '--budget',
      kind: 'text',
      value: 'STEP=TIME',
      isRepeatable: true,
      about: 'Time for a step: dial=3s, hello=5s, manifest=5s, calls=10s, auth=2s, total=25s.',
    },
    {
      flag: '--format',
      kind: 'text',
      value: 'FORMAT',
      default: 'console',
      about: 'What to print: console, json, junit, markdown or github.',
    },
    { flag: '--json', kind: 'switch', about: 'Print JSON: the same as --format json.' },
    { flag: '--out', kind: 'text', value: 'FILE', about: 'Write the result to a file instead of stdout.' },
  ],
  examples: [
    'toolquake smoke https://mcp.example.com/mcp --lock mcp.lock.json --expect-version 1.4.2',
    'toolquake smoke shop --format github',
    `toolquake smoke --call 'echo {"message":"hi"}' --allow-writes -- npx -y @modelcontextprotocol/server-everything stdio`,
  ],
  async handle(args, io) {
    const { smoke: run } = await import('../smoke-page.js');
    return run(args, io);
  },
});
