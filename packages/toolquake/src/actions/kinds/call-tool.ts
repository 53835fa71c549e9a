import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { PreparedStep } from '../../core/prepared-action.js';
import { callTools } from '../../targets/call-once.js';
import { readCheck, readNow, sameValue } from '../../undo/tool-check.js';
import { defineAction } from '../action.js';
import { whyTellsSecrets } from '../literal-secrets.js';

/** Calls a tool of the target itself: a switch of the service, with a second call that takes it back. */
export const callTool = defineAction({
  type: 'call-tool',
  summary: 'Calls a tool of the target, once or a few times, and another one to take back what it did.',
  blast: 'server',
  params: {
    tool: { kind: 'text', isRequired: true, about: 'The tool.' },
    arguments: { kind: 'value', about: 'Its arguments.' },
    times: { kind: 'whole', min: 1, max: 1000, about: 'How often; once unless told otherwise.' },
    readOnly: { kind: 'flag', about: 'The tool changes nothing, so that nothing has to be taken back.' },
    undo: {
      kind: 'group',
      about: 'The call that takes it back.',
      fields: { tool: { kind: 'text', isRequired: true, about: 'The tool.' }, arguments: { kind: 'value', about: 'Its arguments.' } },
    },
    check: {
      kind: 'group',
      about: 'Where to look whether it was taken back: there must stand then what stood there before.',
      fields: {
        tool: { kind: 'text', isRequired: true, about: 'A tool that only reads.' },
        arguments: { kind: 'value', about: 'Its arguments.' },
        path: { kind: 'text', isRequired: true, about: 'A path into its answer.' },
      },
    },
  },
  worstCase: 'The target does what the tool does, until the second call takes it back.',
  trips: [],
  scale: (params, share) => ({ ...params, times: Math.max(1, Math.round(timesOf(params) * share)) }),

  async feasibility(params, { upstream }) {
    const { readOnly, undo, check } = params;
    if (readOnly === true) return { isFeasible: true, how: 'the tool only reads' };
    if (undo === undefined)
      return refused('nobody knows how to take it back', 'Name the call that does ("undo"), or say "readOnly: true".');
    if (check === undefined)
      return refused('nobody could see whether it was taken back', 'Name a tool that only reads, and a path into its answer ("check").');
    const secret = whyTellsSecrets(upstream.target);
    // The undo is written down with its target, and lives on disk.
    if (secret !== undefined) return refused(secret, 'Write it as ${NAME}, and set NAME in the environment.');
    return { isFeasible: true, how: `${String((undo as JsonObject)['tool'])} takes it back` };
  },

  async prepare(params, world) {
    const { target } = world.upstream;
    const tool = String(params['tool']);
    const call = { tool, arguments: objectOr(params['arguments']) };
    const check = params['check'] === undefined ? undefined : readCheck(params['check']);
    const before = check === undefined ? undefined : await readNow(target, check, world);
    const undo = isObject(params['undo']) ? params['undo'] : undefined;
    let answered = 0;
    const step: PreparedStep = {
      name: `call ${tool}${timesOf(params) === 1 ? '' : ` ${timesOf(params)} times`}`,
      undo:
        undo === undefined || check === undefined
          ? undefined
          : {
              kind: 'call-tool',
              data: {
                target: target as unknown as JsonObject,
                tool: String(undo['tool']),
                arguments: objectOr(undo['arguments']),
                check,
                before,
              },
            },
      async apply() {
        const outcomes = await callTools(
          target,
          Array.from({ length: timesOf(params) }, () => call),
          world,
        );
        answered = outcomes.filter((one) => one.kind === 'result' && one.result['isError'] !== true).length;
        if (answered < outcomes.length)
          throw new ToolquakeError('UPSTREAM_UNREACHABLE', {
            message: `The tool "${tool}" answered ${outcomes.length - answered} of ${outcomes.length} calls with an error.`,
          });
      },
    };
    return {
      hits: [`${step.name} of ${target.name}`],
      steps: [step],
      isLasting: true,
      async verifyEffect() {
        if (check === undefined || undo === undefined) return { isInEffect: answered > 0, proof: `${answered} calls were answered` };
        const isChanged = !sameValue(await readNow(target, check, world), before);
        return { isInEffect: isChanged, proof: `${check.path} of ${check.tool} is ${isChanged ? 'not what it was' : 'as before'}` };
      },
      release: async () => {},
    };
  },
});

const refused = (why: string, act: string): { readonly isFeasible: false; readonly why: string; readonly act: string } => ({
  isFeasible: false,
  why,
  act,
});

const timesOf = ({ times }: JsonObject): number => (typeof times === 'number' ? times : 1);

const objectOr = (value: unknown): JsonObject => (isObject(value) ? value : {});
