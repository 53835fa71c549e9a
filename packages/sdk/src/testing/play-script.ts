import { expect } from 'vitest';
import type { Effect } from '../core/effect.js';
import type { TrafficEvent } from '../core/event.js';
import type { Fault, Phase } from '../core/fault.js';
import { frameBytes } from '../core/frame.js';
import { eventsOf, HOSTILE_TOOLS, type Step } from './hostile-traffic.js';
import { askFault, paramsOf, testContext } from './test-context.js';

/**
 * Asks a fault about every event of a script, with one memory, and returns what it said as plain data. Fails when it
 * throws, changes what it was shown, or asks for something that no transport can do.
 */
export function playScript(
  fault: Fault,
  script: readonly Step[],
  params: Readonly<Record<string, unknown>>,
  phase: Phase,
): readonly unknown[] {
  const memory = fault.memory?.();
  const said: unknown[] = [];
  for (const event of eventsOf(script)) {
    const isOffWire = event.kind === 'frame' && event.frame.bytes !== undefined;
    const before = snapshot(event, isOffWire);
    const context = testContext(fault, { phase, memory, knownTools: HOSTILE_TOOLS });
    if (event.kind === 'frame' && event.part === 'answer') {
      // A fault's own specs say what it takes; an example has values of that kind.
      fault.observe?.(event, paramsOf(fault, params) as Readonly<Record<string, never>>, context);
    }
    const effects = askFault(fault, event, { params, context });
    expect(snapshot(event, isOffWire) === before, 'the frame and the exchange stay as they are').toBe(true);
    for (const effect of effects) expectPerformable(effect, event);
    const later = { nowMs: context.nowMs, request: event.kind === 'frame' ? event.frame : undefined };
    said.push([effects.map(writeDown), context.why, fault.lasts?.(memory, later)]);
  }
  return said;
}

/** What a fault must leave alone. Writing a frame fills its bytes in, so only those off a wire count. */
function snapshot(event: TrafficEvent, isOffWire: boolean): string {
  if (event.kind === 'connect') return '';
  const { answers, sends, isCancelled, isReported } = event.exchange;
  const bytes = event.kind === 'frame' && isOffWire ? new TextDecoder('latin1').decode(event.frame.bytes) : '';
  return `${answers} ${sends} ${isCancelled} ${isReported} ${bytes}`;
}

function expectPerformable(effect: Effect, event: TrafficEvent): void {
  const session = event.kind === 'connect' ? event.session : event.exchange.session;
  if (effect.kind === 'forward' && effect.exchange !== undefined)
    expect(effect.exchange.session === session, 'it stays in its session').toBe(true);
  for (const value of Object.values(effect)) if (typeof value === 'number') expect(value).toBeGreaterThanOrEqual(0);
  if (event.kind === 'connect') expect(effect.kind, 'a connection can only be broken').toBe('disconnect');
}

/** An effect as plain data. Frames are written, because what cannot be written cannot be sent. */
function writeDown(effect: Effect): unknown {
  const plain: Record<string, unknown> = { ...effect };
  if ('frame' in effect && effect.frame !== 'heartbeat') {
    plain['frame'] = [effect.frame.direction, new TextDecoder('latin1').decode(frameBytes(effect.frame))];
  }
  if ('exchange' in effect) plain['exchange'] = effect.exchange?.ordinal;
  return plain;
}
