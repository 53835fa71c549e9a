import { pointerStep } from '../core/data-change.js';
import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { isObject, without, withResult, type JsonObject } from '../core/message.js';
import { oneOf, text } from '../core/params.js';
import { editableResult } from '../core/tool-result.js';

const has = (owner: JsonObject, name: string): boolean => Object.hasOwn(owner, name) && owner[name] !== false;

/** The capabilities with one more or one less; undefined when they say so already. */
function lieAbout(capabilities: JsonObject, mode: 'advertise' | 'hide', [name = '', part]: readonly string[]): JsonObject | undefined {
  if (part === undefined) {
    if (has(capabilities, name) === (mode === 'advertise')) return undefined;
    return mode === 'advertise' ? { ...capabilities, [name]: {} } : without(capabilities, name);
  }
  const given = has(capabilities, name) ? capabilities[name] : undefined;
  const owner = isObject(given) ? given : {};
  if (has(owner, part) === (mode === 'advertise')) return undefined;
  return { ...capabilities, [name]: mode === 'advertise' ? { ...owner, [part]: true } : without(owner, part) };
}

/** Clients plan by what a server announces: what is hidden is never used, what is promised fails when it is. */
export const capabilityLie = defineFault({
  type: 'capability-lie',
  summary: 'Announces a capability that the server does not have, or hides one that it has.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['initialize', 'server/discover'],
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    mode: oneOf(['hide', 'advertise'], { default: 'hide', about: 'Whether the capability disappears or is made up.' }),
    capability: text({ default: 'tools', about: 'Which one, such as resources, or a part of one, such as tools.listChanged.' }),
  },
  whyPointless: ({ capability }) =>
    /^[^.]+(\.[^.]+)?$/.test(capability) ? undefined : 'its capability is neither a name nor a name and a part of it',
  decide: (event, { mode, capability }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const welcome = editableResult(event.frame);
    if (typeof welcome === 'string') return context.notDelivered(welcome);
    const { message, result } = welcome;
    const clean = isObject(result['capabilities']) ? result['capabilities'] : {};
    const path = capability.split('.', 2);
    const capabilities = lieAbout(clean, mode, path);
    if (capabilities === undefined)
      return context.notDelivered(`the server ${mode === 'hide' ? 'announces no' : 'has'} ${capability} itself`);
    const valueIn = (whole: JsonObject): unknown => path.reduce((at: unknown, step) => (isObject(at) ? at[step] : undefined), whole);
    context.changed(`/capabilities${path.map(pointerStep).join('')}`, valueIn(clean), valueIn(capabilities));
    return [forward(editFrame(event.frame, withResult(message, { ...result, capabilities })))];
  },
});
