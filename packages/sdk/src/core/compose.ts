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
export type Composition = {
  readonly effects: readonly Effect[] | undefined;
  readonly by: readonly Engagement[];
  /** What faults threw. The others were asked all the same. */
  readonly problems: readonly unknown[];
};

const NO_PROBLEMS: readonly unknown[] = [];

const NOTHING: Composition = { effects: undefined, by: [], problems: NO_PROBLEMS };

/** Asks every engagement that is not suppressed, and joins what they say. Never throws. */
export function compose(event: TrafficEvent, engagements: readonly Engagement[]): Composition {
  const by: Engagement[] = [];
  let problems: unknown[] | undefined;
  const ask: Ask = (engagement, about) => {
    const { rule, context } = engagement;
    // Only its first bytes are at hand: it can be let through or left out, not edited and not kept for later.
    if (about.kind === 'frame' && about.frame.isOpaque && (rule.fault.role === 'data' || rule.fault.role === 'shaping')) {
      return context.notDelivered('too large');
    }
    try {
      // Values were checked against the fault's own specs when the plan was loaded.
      return rule.fault.decide(about, rule.params as Readonly<Record<string, never>>, context);
    } catch (error) {
      (problems ??= []).push(error);
      return context.notDelivered('the fault failed');
    }
  };
  const joined = (effects: readonly Effect[] | undefined): Composition => {
    if (effects === undefined && problems === undefined) return NOTHING;
    return { effects, by, problems: problems ?? NO_PROBLEMS };
  };
  const each = (role: FaultRole, act: (engagement: Engagement) => boolean): void => {
    for (const engagement of engagements) {
      if (engagement.rule.fault.role === role && isWilling(engagement) && act(engagement)) by.push(engagement);
    }
  };
  if (event.kind !== 'frame') {
    const effects: Effect[] = [];
    for (const role of ['terminal', 'extra', 'data', 'shaping'] as const) {
      each(role, (engagement) => {
        const said = ask(engagement, event);
        effects.push(...said);
        return said.length > 0;
      });
    }
    return joined(effects.length === 0 ? undefined : effects);
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
    const shaped = shape(ask, engagement, { ...event, frame }, effects ?? [forward(frame)]);
    effects = shaped ?? effects;
    return shaped !== undefined;
  });
  each('extra', (engagement) => {
    const said = ask(engagement, { ...event, frame });
    // A server that is to stand still must do so before the message reaches it, or it may answer first.
    const first = said.filter(({ kind }) => kind === 'signal-server');
    const then = said.filter(({ kind }) => kind !== 'signal-server');
    if (said.length > 0) effects = [...first, ...(effects ?? [forward(frame)]), ...then];
    return said.length > 0;
  });
  return joined(effects);
}

/** Neither silenced, nor in the journal already as one that declined. */
function isWilling({ suppressedBy, isSettled, isDelivered, why }: Engagement): boolean {
  return suppressedBy === undefined && (why === undefined || !isSettled || isDelivered);
}

type Ask = (engagement: Engagement, about: TrafficEvent) => readonly Effect[];

/** Lets a shaping fault say how the effects so far are sent; undefined when it has nothing to say here. */
function shape(
  ask: Ask,
  engagement: Engagement,
  event: TrafficEvent & { kind: 'frame' },
  effects: readonly Effect[],
): readonly Effect[] | undefined {
  const made = event.part === 'request' ? effects.find((effect) => effect.kind === 'answer') : undefined;
  let how: Effect | undefined;
  if (made?.kind === 'answer') {
    // An answer that we made up ends the exchange: shapers of answers never get another chance.
    const answerFrame = frameFromMessage(opposite(event.frame.direction), made.message);
    [how] = ask(engagement, { ...event, part: 'answer', frame: answerFrame });
  }
  // A slow way to the server delays a made-up answer too.
  if (how === undefined) [how] = ask(engagement, event);
  if (how?.kind !== 'forward' && how?.kind !== 'pace') return undefined;
  const { afterMs } = how;
  const slices = how.kind === 'pace' ? how : undefined;
  return effects.map((effect): Effect => {
    switch (effect.kind) {
      case 'forward':
        if (slices === undefined) return { ...effect, afterMs: effect.afterMs + afterMs };
        return pace(effect.frame, { sliceBytes: slices.sliceBytes, everyMs: slices.everyMs, afterMs: effect.afterMs + afterMs });
      case 'answer':
      case 'pace':
        return { ...effect, afterMs: effect.afterMs + afterMs };
      default:
        return effect;
    }
  });
}
