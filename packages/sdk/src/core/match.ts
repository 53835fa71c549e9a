/** Does a rule look at this exchange? Compiled once per rule; the common miss allocates nothing. */
import type { Site } from './fault.js';
import { frameObject, type Frame } from './frame.js';
import { COMMAND_METHOD, isObject } from './message.js';
import type { Rule } from './plan.js';
import type { Session } from './session.js';

/** Matches a name against globs: `*` is any text, `?` one UTF-16 unit; no other character is special. */
export type NameMatcher = (name: string) => boolean;

/** Compiles globs. No globs: everything matches. */
export function compileGlobs(globs: readonly string[] | undefined): NameMatcher {
  if (globs === undefined) return () => true;
  if (globs.length === 1 && !isGlob(globs[0]!)) {
    const only = globs[0]!;
    return (name) => name === only;
  }
  const exact = new Set(globs.filter((glob) => !isGlob(glob)));
  const patterns = globs.filter(isGlob);
  return (name) => exact.has(name) || patterns.some((pattern) => matchesGlob(pattern, name));
}

/** True when the text has a wildcard. */
export function isGlob(glob: string): boolean {
  return glob.includes('*') || glob.includes('?');
}

/**
 * Does the whole name match? Only the last star is ever retried, so a hostile pattern costs pattern x name at worst,
 * where a regular expression would backtrack through every star.
 */
function matchesGlob(glob: string, name: string): boolean {
  let inGlob = 0;
  let inName = 0;
  let star = -1;
  let retryAt = 0;
  while (inName < name.length) {
    const wanted = glob[inGlob];
    if (wanted === '*') {
      star = inGlob++;
      retryAt = inName;
    } else if (wanted === '?' || (wanted !== undefined && wanted === name[inName])) {
      inGlob++;
      inName++;
    } else if (star !== -1) {
      inGlob = star + 1;
      inName = ++retryAt;
    } else return false;
  }
  while (glob[inGlob] === '*') inGlob++;
  return inGlob === glob.length;
}

/** Requests that open a conversation: exempt from wildcards, because breaking them by accident tests nothing else. */
export const OPENING_METHODS: readonly string[] = ['initialize', 'server/discover'];

/** The methods of a rule: by exact name, or by a test for the rules with wildcards. */
export type MethodSelector = { readonly names: readonly string[]; readonly globs: NameMatcher | undefined };

/** Which methods a rule looks at: its own, else its fault's. */
export function methodsOf(rule: Rule): MethodSelector {
  const given = rule.when.method ?? rule.fault.methods;
  const globs = given.filter(isGlob);
  const matches = compileGlobs(globs);
  return {
    names: given.filter((method) => !isGlob(method)),
    globs: globs.length === 0 ? undefined : (method) => !OPENING_METHODS.includes(method) && matches(method),
  };
}

/** The part of `when` beyond the method. `tool` is only asked of tool calls: a list request concerns every tool. */
export type ExchangeMatcher = (session: Session, frame: Frame, method: string, tool: string | undefined) => boolean;

/** Compiles the rest of a rule's `when`. */
export function compileWhen(rule: Rule): ExchangeMatcher {
  const { when } = rule;
  const direction = when.direction ?? rule.fault.direction;
  const tools = when.tool === undefined ? undefined : compileGlobs(when.tool);
  // Databases read their commands without case, and interceptors write them in capitals.
  const commands = when.tool === undefined ? undefined : compileGlobs(when.tool.map((name) => name.toUpperCase()));
  const sessions = when.session === undefined ? undefined : compileGlobs(when.session);
  const targets = when.target === undefined ? undefined : compileGlobs(when.target);
  const fits = compileSite(rule);
  return (session, frame, method, tool) => {
    if (session.site !== undefined && !fits(session.site)) return false;
    if (direction !== 'either' && frame.direction !== direction) return false;
    if (tools !== undefined && method === 'tools/call' && (tool === undefined || !tools(tool))) return false;
    if (commands !== undefined && method === COMMAND_METHOD && (tool === undefined || !commands(tool))) return false;
    if (sessions !== undefined && !sessions(session.label)) return false;
    if (when.era !== undefined && session.era !== when.era) return false;
    if (targets !== undefined && (session.target === undefined || !targets(session.target))) return false;
    return when.args === undefined || hasArguments(frame, when.args);
  };
}

/** Can the rule's fault act there? Asked once per site: the answer never changes. */
function compileSite({ fault, phase }: Rule): (site: object) => boolean {
  const known = new WeakMap<object, boolean>();
  return (site) => {
    let fits = known.get(site);
    // Whoever starts a session puts a `Site` there, or nothing.
    if (fits === undefined) known.set(site, (fits = (site as Site).whyNot(fault, phase) === undefined));
    return fits;
  };
}

/** The part of `when` that a new connection can be held against. Nothing was said yet: only a known era can rule it out. */
export function compileConnect(rule: Rule): (session: Session) => boolean {
  const { when } = rule;
  const sessions = compileGlobs(when.session);
  const targets = compileGlobs(when.target);
  const fits = compileSite(rule);
  return (session) => {
    if (session.site !== undefined && !fits(session.site)) return false;
    if (when.era !== undefined && session.era !== undefined && session.era !== when.era) return false;
    if (when.target !== undefined && (session.target === undefined || !targets(session.target))) return false;
    return sessions(session.label);
  };
}

function hasArguments(frame: Frame, expected: Readonly<Record<string, unknown>>): boolean {
  const params = frameObject(frame)?.['params'];
  return isObject(params) && contains(params['arguments'], expected);
}

/** True when every member of `expected` is in `value`: objects by subset, everything else by equality. */
function contains(value: unknown, expected: unknown): boolean {
  if (isObject(expected)) {
    return isObject(value) && Object.entries(expected).every(([key, part]) => Object.hasOwn(value, key) && contains(value[key], part));
  }
  if (Array.isArray(expected)) {
    return Array.isArray(value) && value.length === expected.length && expected.every((part, index) => contains(value[index], part));
  }
  return value === expected;
}
