/** What a fault is. A fault looks at one event and returns effects; it owns no timer, no socket and no randomness. */
import type { Effect } from './effect.js';
import type { TrafficEvent } from './event.js';
import type { Frame } from './frame.js';
import { COMMAND_METHOD, type Direction } from './message.js';
import type { ParamSpecs, ParamValues } from './params.js';
import type { Era } from './session.js';
import type { KnownTool } from './tool-book.js';

/** What a fault can act on. */
export type Carrier = 'mcp' | 'http' | 'command' | 'bytes';

/** Where rules are performed. */
export type TransportName = 'stdio' | 'http' | 'fetch' | 'in-process' | 'database' | 'tcp' | 'simulator';

/** Which carriers each transport has. The simulator imitates all of them. */
export const TRANSPORT_CARRIERS: { readonly [Name in TransportName]: readonly Carrier[] } = {
  stdio: ['mcp', 'bytes'],
  http: ['mcp', 'http', 'bytes'],
  fetch: ['mcp', 'http', 'bytes'],
  // MCP messages as objects, from one part of a program to another: nothing below them can break by itself.
  'in-process': ['mcp'],
  // Commands of a client library to its server (Redis, SQL), one by one; what they travel in is the library's.
  database: ['command'],
  tcp: ['bytes'],
  simulator: ['mcp', 'http', 'bytes', 'command'],
};

/**
 * Why a fault cannot be shown somewhere, as a sentence. `legacy-sse` is HTTP with the answers in a stream of their own
 * (HTTP+SSE of 2024): the same transport to us, but not every fault has a place there.
 */
export type CannotBe = { readonly [Name in TransportName | 'legacy-sse']?: string };

/** `pre`: the server never executes. `post`: it did, and the answer is what breaks. */
export type Phase = 'pre' | 'post';

/**
 * How faults compose on one exchange: one `terminal` (the first in order that fires), any number of `shaping`
 * (how it is sent), `data` (what is sent, in order) and `extra` (what is done besides).
 */
export type FaultRole = 'terminal' | 'shaping' | 'data' | 'extra';

/** What a fault is given besides the event. Everything in it is deterministic. */
export type FaultContext<Memory = unknown> = {
  readonly ruleId: string;
  readonly phase: Phase;
  readonly era: Era | undefined;
  readonly transport: TransportName;
  readonly nowMs: number;
  /** The next keyed draw of this rule for this exchange, in [0, 1). */
  draw(): number;
  /** What this fault remembers for this scope; starts as `memory()` says. */
  readonly memory: Memory;
  /** Does the rule's `when.tool` name this tool? For faults that edit lists. */
  selectsTool(tool: string): boolean;
  /** What the server said of a tool when the client last listed it; for faults with `learnsTools`, undefined for others. */
  knownTool(name: string | undefined): KnownTool | undefined;
  /**
   * Returns "nothing to do" and says why in the journal. A fault that then does something all the same does it to others:
   * their own entries say so.
   */
  notDelivered(why: string): readonly Effect[];
  /**
   * Notes in the journal what the caller will see instead of what: every data fault says so for every value it changes.
   * `path` is a JSON Pointer into the result, and goes on inside a text that holds JSON; a value that was added has no
   * `clean`, one that was left out no `dirty`.
   */
  changed(path: string, clean: unknown, dirty: unknown): void;
};

/** A request after the one that a fault fired on. */
export type LaterRequest = { readonly nowMs: number; readonly request: Frame | undefined };

/** A fault: one file, one of these. */
export type Fault = {
  readonly type: string;
  /** One sentence. */
  readonly summary: string;
  readonly carriers: readonly Carrier[];
  readonly role: FaultRole;
  /** What a rule of this fault listens to. */
  readonly trigger: 'call' | 'connect';
  /** Methods that a rule without `when.method` matches. */
  readonly methods: readonly string[];
  /** The way that a rule without `when.direction` looks. */
  readonly direction: Direction | 'either';
  /** True when it makes sense for `methods` only: a rule cannot point it elsewhere. */
  readonly hasFixedMethods: boolean;
  /** Allowed phases; the first is the default. */
  readonly phases: readonly Phase[];
  readonly eras: readonly Era[];
  /** Transports where it cannot be shown, each with the reason. */
  readonly cannot: CannotBe;
  readonly params: ParamSpecs;
  /** Why these values, each allowed by itself, can never do anything; undefined when they can. */
  whyPointless?(params: Readonly<Record<string, never>>): string | undefined;
  /** Scope of the memory: one per session and tool, or one per session. */
  readonly memoryScope: 'tool' | 'session';
  memory?(): unknown;
  /**
   * For a fault whose firing outlives its call: while this says so of the session's memory (and of the request), every
   * later request of the session is engaged too, drawn or not, until the client initialises anew. Needs
   * `memoryScope: 'session'`.
   */
  lasts?(memory: unknown, about: LaterRequest): boolean;
  /**
   * True for a fault that asks `context.knownTool`: the tools of every `tools/list` answer in a session are then kept, as
   * the server sent them, page by page. Without such a rule nobody looks at those answers.
   */
  readonly learnsTools: boolean;
  /** Sees every answer of a matching exchange that its own rule leaves alone, to fill the memory. */
  observe?(event: TrafficEvent, params: Readonly<Record<string, never>>, context: FaultContext): void;
  /** Sees the events of exchanges that the rule fired on. `[]` leaves the event alone. */
  decide(event: TrafficEvent, params: Readonly<Record<string, never>>, context: FaultContext): readonly Effect[];
};

/** What the author of a fault writes. */
export type FaultDefinition<Specs extends ParamSpecs, Memory> = {
  type: string;
  summary: string;
  carriers: readonly Carrier[];
  role: FaultRole;
  trigger?: 'call' | 'connect';
  methods?: readonly string[];
  direction?: Direction | 'either';
  hasFixedMethods?: boolean;
  phases?: readonly Phase[];
  eras?: readonly Era[];
  cannot?: CannotBe;
  params: Specs;
  whyPointless?: (params: ParamValues<Specs>) => string | undefined;
  memoryScope?: 'tool' | 'session';
  memory?: () => Memory;
  lasts?: (memory: Memory, about: LaterRequest) => boolean;
  learnsTools?: boolean;
  observe?: (event: TrafficEvent, params: ParamValues<Specs>, context: FaultContext<Memory>) => void;
  decide: (event: TrafficEvent, params: ParamValues<Specs>, context: FaultContext<Memory>) => readonly Effect[];
};

/** Defines a fault; fills in the defaults. */
export function defineFault<const Specs extends ParamSpecs, Memory = undefined>(definition: FaultDefinition<Specs, Memory>): Fault {
  const filled = {
    trigger: 'call',
    methods: ['tools/call'],
    direction: 'to-server',
    hasFixedMethods: false,
    phases: ['pre'],
    eras: ['legacy', 'modern'],
    cannot: {},
    memoryScope: 'tool',
    learnsTools: false,
    ...definition,
  };
  // A command is to its server what a call is to a tool: what listens to one by default listens to the other.
  if (filled.carriers.includes('command') && filled.methods.includes('tools/call')) filled.methods = [...filled.methods, COMMAND_METHOD];
  // The catalogue holds faults of many parameter shapes; each is only ever called with values checked against its own specs.
  return filled as unknown as Fault;
}

/** Faults by type. */
export type Catalogue = ReadonlyMap<string, Fault>;

/** A catalogue from a folder's index, or from a few faults that a test brings. */
export function createCatalogue(faults: Readonly<Record<string, Fault>> | readonly Fault[]): Catalogue {
  const list = Array.isArray(faults) ? (faults as readonly Fault[]) : Object.values(faults as Readonly<Record<string, Fault>>);
  return new Map(list.map((fault) => [fault.type, fault]));
}

/** Why a fault cannot act on a transport; undefined when it can. */
export function whyNotOn(fault: Fault, transport: TransportName): string | undefined {
  const reason = fault.cannot[transport];
  if (reason !== undefined) return reason;
  const carriers = TRANSPORT_CARRIERS[transport];
  if (fault.carriers.some((carrier) => carriers.includes(carrier))) return undefined;
  return `it acts on ${fault.carriers.join(' or ')}, and ${transport} carries ${carriers.join(' and ')}`;
}

/**
 * Where sessions take place, when one decider serves several sites: rules whose fault cannot act there leave
 * those sessions alone, and do not count them.
 */
export type Site = {
  readonly transport: TransportName;
  /** Why a fault cannot act here (in this phase, where one is named), as a sentence; undefined when it can. */
  whyNot(fault: Fault, phase?: Phase): string | undefined;
};
