import { noteChange, type DataChange } from '../core/data-change.js';
import type { Effect } from '../core/effect.js';
import type { TrafficEvent } from '../core/event.js';
import type { Fault, FaultContext, Phase, TransportName } from '../core/fault.js';
import { compileGlobs } from '../core/match.js';
import { keyedRandom } from '../core/random.js';
import type { Era } from '../core/session.js';
import type { KnownTool } from '../core/tool-book.js';

/** A context that remembers why a fault did nothing, and what it said it changed. */
export type TestContext = FaultContext<unknown> & { readonly why: string | undefined; readonly changes: readonly DataChange[] };

/** What a test may say about a context; the rest is filled in. */
export type TestContextOptions = {
  readonly phase?: Phase;
  readonly era?: Era;
  readonly transport?: TransportName;
  readonly memory?: unknown;
  /** Draws to hand out in order; keyed draws follow. */
  readonly draws?: readonly number[];
  /** Globs of `when.tool`. */
  readonly tool?: readonly string[];
  /** What the server listed. */
  readonly knownTools?: readonly KnownTool[];
  readonly seed?: number;
};

/** A context like the decider's, for asking one fault directly: fresh memory, keyed draws. */
export function testContext(fault: Fault, options: TestContextOptions = {}): TestContext {
  const stream = keyedRandom(options.seed ?? 1).stream('rule', 'default/tool');
  let draws = 0;
  let why: string | undefined;
  const changes: DataChange[] = [];
  return {
    ruleId: 'rule',
    phase: options.phase ?? fault.phases[0] ?? 'pre',
    era: options.era ?? 'legacy',
    transport: options.transport ?? 'simulator',
    nowMs: 0,
    draw() {
      const index = draws++;
      return options.draws?.[index] ?? stream.draw(1, index);
    },
    memory: 'memory' in options ? options.memory : fault.memory?.(),
    selectsTool: compileGlobs(options.tool),
    knownTool: (name) => (fault.learnsTools ? options.knownTools?.find((tool) => tool.name === name) : undefined),
    notDelivered(reason) {
      why = reason;
      return [];
    },
    changed: (path, clean, dirty) => noteChange(changes, path, clean, dirty),
    changes,
    get why() {
      return why;
    },
  };
}

/** The values of a fault's parameters: its defaults, and what is given. */
export function paramsOf(fault: Fault, given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { ...Object.fromEntries(Object.entries(fault.params).map(([name, spec]) => [name, spec.default])), ...given };
}

/** Asks a fault about one event, with its defaults where nothing is given. */
export function askFault(
  fault: Fault,
  event: TrafficEvent,
  { params, context }: { params?: Readonly<Record<string, unknown>>; context?: FaultContext } = {},
): readonly Effect[] {
  // A fault's own specs say what it takes; tests give values of that kind.
  return fault.decide(event, paramsOf(fault, params) as Readonly<Record<string, never>>, context ?? testContext(fault));
}
