/** An agent's way to one server: a session, the list of its tools, and a wire with faults on it. */
import { startSession, type Decider, type JournalSink } from '@toolquake/sdk/core';
import type { Attempt, Road } from './operation.js';
import { createLink, failure, listedTools, openingFrame, type FarEnd, type Hearing, type WayBack } from './link.js';
import { isConformant, isUsable } from './reading.js';
import type { ServerSpec } from './topology-fields.js';
import type { VirtualClock } from './virtual-clock.js';

/** What a road is made from. */
export type RoadOptions = {
  readonly agent: string;
  readonly server: string;
  readonly spec: ServerSpec;
  readonly clock: VirtualClock;
  readonly decider: Decider;
  readonly journal: JournalSink | undefined;
  readonly createServer: (back: WayBack) => FarEnd;
  readonly hear: (attempt: Attempt, hearing: Hearing, isFaulted: boolean) => void;
  /** The list may be this old; 0: it is asked for once. */
  readonly refreshMs: number;
  readonly roundTripMs: number;
  /** How long the agent waits for a list, as for anything. */
  readonly timeoutMs: number;
};

/** A road that can be opened and closed, and that knows what was delivered on it. */
export type OpenRoad = Road & {
  /** Introduces the agent and asks for the tools; calls back when it has an answer of any kind. */
  open(onOpen: () => void): void;
  close(): void;
  readonly fired: ReadonlyMap<string, number>;
  calls(): number;
};

/** Builds a road; nothing is sent yet. */
export function createRoad(options: RoadOptions): OpenRoad {
  const { agent, server, spec, clock, refreshMs } = options;
  const missing = new Set<string>();
  let requests = 0;
  let listedAtMs = 0;
  let isAsking = false;
  let onOpen: (() => void) | undefined;

  const ask = (method: 'initialize' | 'tools/list'): void => {
    isAsking = true;
    // Far away from the ids of calls, which count from 1.
    const id = -++requests;
    link.send(openingFrame(id, method), undefined, undefined);
    clock.deliver(options.timeoutMs, giveUp, id, undefined);
  };

  const giveUp = (id: number): void => {
    if (!isAsking || id !== -requests) return;
    link.cancel(id);
    heardOpening(failure('no-answer'));
  };

  /** Opening goes on whatever is answered: the next answer will say what is wrong, and there is nothing else to try. */
  const heardOpening = ({ message }: Hearing): void => {
    isAsking = false;
    if (!isInitialized) {
      isInitialized = true;
      return ask('tools/list');
    }
    const listed = listedTools(message);
    listedAtMs = clock.nowMs();
    missing.clear();
    if (listed !== undefined) for (const tool of spec.tools) if (!listed.includes(tool)) missing.add(tool);
    onOpen?.();
    onOpen = undefined;
  };
  let isInitialized = false;

  const link = createLink<Attempt | undefined, FarEnd>({
    clock,
    createServer: options.createServer,
    decider: options.decider,
    // Stable, and another one for each server, as with one connection each.
    session: startSession({ label: `${agent}@${server}`, target: server, era: 'legacy' }),
    journal: options.journal,
    roundTripMs: options.roundTripMs,
    judge: (result) => ({ isConformant: isConformant(result, spec.items > 0), isUsable: isUsable(result) }),
    listener(attempt, hearing, isFaulted) {
      if (attempt === undefined) return heardOpening(hearing);
      if (hearing.isSessionLost && !isAsking) {
        isInitialized = false;
        ask('initialize');
      }
      options.hear(attempt, hearing, isFaulted);
    },
    // Nobody else is hurt by a fault that throws, so the run may as well fail loudly.
    onProblem: (error) => {
      throw error;
    },
  });

  return {
    open(callback) {
      onOpen = callback;
      ask('initialize');
    },
    send: (frame, task, attempt) => link.send(frame, task, attempt),
    cancel: link.cancel,
    isListed(tool) {
      if (refreshMs > 0 && !isAsking && clock.nowMs() - listedAtMs > refreshMs) ask('tools/list');
      return missing.size === 0 || !missing.has(tool);
    },
    close: link.close,
    fired: link.performer.fired,
    calls: () => link.performer.calls,
  };
}
