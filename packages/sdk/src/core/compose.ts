/**
 * Composition: what several faults that fired on one exchange do together. Data faults edit in order (and may
 * announce it), one terminal fault replaces, shaping faults say how the outcome is sent, extra faults act besides.
 */
import { forward, hold, pace, type Effect } from './effect.js';
import type { Engagement } from './engagement.js';
import type { TrafficEvent } from './event.js';
import type { FaultRole } from './fault.js';
import { frameFromMessage, type Frame } from './frame.js';
import { opposite } from './message.js';

/** The joint outcome. `effects` undefined: nobody had anything to do about this event. */
export type Composition = {
  readonly effects: readonly Effect[] | undefined;
  /** Whose each effect is, in the order of the effects. Nobody's: the message itself, which goes on as it was. */
  readonly owners: readonly (readonly Engagement[])[];
  readonly by: readonly Engagement[];
  /** What faults threw. The others were asked all the same. */
  readonly problems: readonly unknown[];
};

const NO_PROBLEMS: readonly unknown[] = [];

const NOTHING: Composition = { effects: undefined, owners: [], by: [], problems: NO_PROBLEMS };

type Owned = { readonly effect: Effect; readonly owners: readonly Engagement[] };

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
  const joined = (owned: readonly Owned[] | undefined): Composition => {
    if (owned === undefined && problems === undefined) return NOTHING;
    const effects = owned?.map(({ effect }) => effect);
    return { effects, owners: owned?.map(({ owners }) => owners) ?? [], by, problems: problems ?? NO_PROBLEMS };
  };
  const own = (said: readonly Effect[], engagement: Engagement): Owned[] => said.map((effect) => ({ effect, owners: [engagement] }));
  const each = (role: FaultRole, act: (engagement: Engagement) => boolean): void => {
    for (const engagement of engagements) {
      if (engagement.rule.fault.role === role && isWilling(engagement) && act(engagement)) by.push(engagement);
    }
  };
  if (event.kind !== 'frame') {
    const effects: Owned[] = [];
    for (const role of ['terminal', 'extra', 'data', 'shaping'] as const) {
      each(role, (engagement) => {
        const said = ask(engagement, event);
        effects.push(...own(said, engagement));
        return said.length > 0;
      });
    }
    return joined(effects.length === 0 ? undefined : effects);
  }

  let frame: Frame = event.frame;
  let effects: readonly Owned[] | undefined;
  const untouched = (): readonly Owned[] => [{ effect: forward(frame), owners: [] }];
  const notices: Owned[] = [];
  each('data', (engagement) => {
    const [first, ...besides] = ask(engagement, { ...event, frame });
    if (first?.kind !== 'forward') return false;
    frame = first.frame;
    effects = [{ effect: first, owners: [...(effects?.[0]?.owners ?? []), engagement] }];
    notices.push(...own(besides, engagement).filter(({ effect }) => effect.kind === 'emit'));
    return true;
  });
  // Before the message itself: an answer may end the only stream that a notice could go into.
  if (notices.length > 0) effects = [...notices, ...(effects ?? [])];
  each('terminal', (engagement) => {
    const said = ask(engagement, { ...event, frame });
    if (said.length > 0) effects = own(said, engagement);
    return said.length > 0;
  });
  each('shaping', (engagement) => {
    const shaped = shape(ask, engagement, { ...event, frame }, effects ?? untouched());
    effects = shaped ?? effects;
    return shaped !== undefined;
  });
  each('extra', (engagement) => {
    const said = ask(engagement, { ...event, frame });
    // A server that is to stand still must do so before the message reaches it, or it may answer first.
    const first = own(said, engagement).filter(({ effect }) => effect.kind === 'signal-server');
    const then = own(said, engagement).filter(({ effect }) => effect.kind !== 'signal-server');
    if (said.length > 0) effects = [...first, ...(effects ?? untouched()), ...then];
    return said.length > 0;
  });
  return joined(effects);
}

/** Neither silenced, nor in the journal already as one that declined. */
function isWilling({ suppressedBy, isSettled, isDelivered, why }: Engagement): boolean {
  return suppressedBy === undefined && (why === undefined || !isSettled || isDelivered);
}

type Ask = (engagement: Engagement, about: TrafficEvent) => readonly Effect[];

/** Lets a shaping fault say how the effects so far are sent; undefined when it has nothing to say, or nothing to shape. */
function shape(
  ask: Ask,
  engagement: Engagement,
  event: TrafficEvent & { kind: 'frame' },
  effects: readonly Owned[],
): readonly Owned[] | undefined {
  const made = event.part === 'request' ? effects.find(({ effect }) => effect.kind === 'answer')?.effect : undefined;
  let how: Effect | undefined;
  if (made?.kind === 'answer') {
    // An answer that we made up ends the exchange: shapers of answers never get another chance.
    const answerFrame = frameFromMessage(opposite(event.frame.direction), made.message);
    [how] = ask(engagement, { ...event, part: 'answer', frame: answerFrame });
  }
  // A slow way to the server delays a made-up answer too.
  if (how === undefined) [how] = ask(engagement, event);
  if (how?.kind !== 'forward' && how?.kind !== 'pace') return undefined;
  const shaped = effects.map((one): Owned => {
    const effect = shapeOne(one.effect, how);
    return effect === undefined ? one : { effect, owners: [...one.owners, engagement] };
  });
  if (shaped.some((one, index) => one !== effects[index])) return keepBack(event.frame, shaped);
  engagement.context.notDelivered('another fault left nothing to send');
  return undefined;
}

/** A connection that breaks later than at once keeps its message back until then: who calls everything off lets that go on. */
function keepBack(frame: Frame, shaped: readonly Owned[]): readonly Owned[] {
  const [first] = shaped;
  const isBreakAlone = shaped.every(({ effect }) => effect.kind === 'disconnect') && first?.effect.kind === 'disconnect';
  return isBreakAlone ? [{ effect: hold(frame, 'never'), owners: first.owners }, ...shaped] : shaped;
}

/** One effect, sent the way that a shaping fault says; undefined where that way does not apply to it. */
function shapeOne(effect: Effect, how: Effect & { kind: 'forward' | 'pace' }): Effect | undefined {
  const { afterMs } = how;
  if (effect.kind === 'pace') return { ...effect, afterMs: effect.afterMs + afterMs };
  if (how.kind === 'pace') {
    const { sliceBytes, everyMs } = how;
    return effect.kind === 'forward' ? pace(effect.frame, { sliceBytes, everyMs, afterMs: effect.afterMs + afterMs }) : undefined;
  }
  switch (effect.kind) {
    case 'forward':
    case 'answer':
      return { ...effect, afterMs: effect.afterMs + afterMs };
    case 'disconnect':
      return { ...effect, afterMs: (effect.afterMs ?? 0) + afterMs };
    case 'hold':
      return typeof effect.until === 'object' ? { ...effect, until: { ms: effect.until.ms + afterMs } } : undefined;
    default:
      return undefined;
  }
}
