/**
 * Composition: what several faults that fired on one exchange do together. Data faults edit in order, one terminal
 * fault replaces, shaping faults say how the outcome is sent, extra faults act besides.
 */
import { forward, pace, type Effect } from './effect.js';
import type { Engagement } from './engagement.js';
import type { TrafficEvent } from './event.js';
import type { FaultRole } from './fault.js';
import { frameFromMessage, type Frame } from './frame.js';
import { opposite } from './message.js';

/** The joint outcome. `effects` undefined: nobody had anything to do about this event. */
export type Composition = { readonly effects: readonly Effect[] | undefined; readonly by: readonly Engagement[] };

const NOTHING: Composition = { effects: undefined, by: [] };

function ask(engagement: Engagement, event: TrafficEvent): readonly Effect[] {
  // Values were checked against the fault's own specs when the plan was loaded.
  return engagement.rule.fault.decide(event, engagement.rule.params as Readonly<Record<string, never>>, engagement.context);
}

/** Asks every engagement that is not suppressed, and joins what they say. */
export function compose(event: TrafficEvent, engagements: readonly Engagement[]): Composition {
  const by: Engagement[] = [];
  const each = (role: FaultRole, act: (engagement: Engagement) => boolean): void => {
    for (const engagement of engagements) {
      if (engagement.rule.fault.role === role && engagement.suppressedBy === undefined && act(engagement)) by.push(engagement);
    }
  };
  if (event.kind !== 'frame') {
    const effects: Effect[] = [];
    for (const role of ['terminal', 'extra', 'data', 'shaping'] as const) {
      each(role, (engagement) => effects.push(...ask(engagement, event)) > 0 && effects.length > 0);
    }
    return by.length === 0 || effects.length === 0 ? NOTHING : { effects, by };
  }

  let frame: Frame = event.frame;
  let effects: readonly Effect[] | undefined;
  each('data', (engagement) => {
    const [first] = ask(engagement, { ...event, frame });
    if (first?.kind !== 'forward') return false;
    frame = first.frame;
    effects = [first];
    return true;
  });
  each('terminal', (engagement) => {
    const said = ask(engagement, { ...event, frame });
    if (said.length > 0) effects = said;
    return said.length > 0;
  });
  each('shaping', (engagement) => {
    const shaped = shape(engagement, event, frame, effects ?? [forward(frame)]);
    effects = shaped ?? effects;
    return shaped !== undefined;
  });
  each('extra', (engagement) => {
    const said = ask(engagement, { ...event, frame });
    if (said.length > 0) effects = [...(effects ?? [forward(frame)]), ...said];
    return said.length > 0;
  });
  return effects === undefined ? NOTHING : { effects, by };
}

/** Lets a shaping fault say how the effects so far are sent; undefined when it has nothing to say here. */
function shape(engagement: Engagement, event: TrafficEvent & { kind: 'frame' }, frame: Frame, effects: readonly Effect[]): readonly Effect[] | undefined {
  const made = event.part === 'request' ? effects.find((effect) => effect.kind === 'answer') : undefined;
  // An answer that we made up ends the exchange: shapers of answers never get another chance.
  const [how] =
    made?.kind === 'answer'
      ? ask(engagement, { ...event, part: 'answer', frame: frameFromMessage(opposite(event.frame.direction), made.message) })
      : ask(engagement, { ...event, frame });
  if (how?.kind !== 'forward' && how?.kind !== 'pace') return undefined;
  return effects.map((effect): Effect => {
    if (effect.kind === 'forward' && how.kind === 'pace') {
      return pace(effect.frame, { sliceBytes: how.sliceBytes, everyMs: how.everyMs, afterMs: effect.afterMs + how.afterMs });
    }
    if (effect.kind === 'forward' || effect.kind === 'answer' || effect.kind === 'pace') return { ...effect, afterMs: effect.afterMs + how.afterMs };
    return effect;
  });
}
