/** Finds topologies that are well-formed and cannot work: unknown tools, circles, deadlines that nothing can keep. */
import { nearestWord, suggest, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import { fastestMs } from './service-time.js';
import type { AgentSpec, ServerSpec } from './topology-fields.js';
import type { Topology } from './topology.js';

/** Reports what makes a topology senseless. */
export function checkSystem(reader: ValueReader, topology: Topology): void {
  const owners = checkOwners(reader, topology);
  checkCalls(reader, topology);
  checkMoves(reader, topology, owners);
  for (const [name, agent] of Object.entries(topology.agents)) checkAgent(reader, ['agents', name], agent, topology, owners);
  checkTimes(reader, topology);
}

type Owners = ReadonlyMap<string, string>;

function checkOwners(reader: ValueReader, { servers }: Topology): Owners {
  const owners = new Map<string, string>();
  for (const [name, { tools, writes }] of Object.entries(servers)) {
    const path = ['servers', name];
    if (tools.length === 0)
      reader.report([...path, 'tools'], 'MISSING_KEY', `The server "${name}" offers no tools, so nobody can call it.`);
    tools.forEach((tool, index) => {
      const other = owners.get(tool);
      if (other !== undefined) {
        const message = `The tool "${tool}" is offered by "${other}" already.`;
        reader.report([...path, 'tools', index], 'DUPLICATE_ID', message, 'Rename one of the two, or use registry.moves.');
      }
      owners.set(tool, name);
    });
    writes.forEach((tool, index) => {
      if (!tools.includes(tool))
        reader.report([...path, 'writes', index], 'UNKNOWN_KEY', `"${name}" does not offer the tool "${tool}".`, suggest(tool, tools));
    });
  }
  return owners;
}

function checkCalls(reader: ValueReader, { servers }: Topology): void {
  const names = Object.keys(servers);
  for (const [name, { calls }] of Object.entries(servers)) {
    calls.forEach((other, index) => {
      if (names.includes(other)) return;
      reader.report(['servers', name, 'calls', index], 'UNKNOWN_KEY', `There is no server "${other}".`, suggest(other, names));
    });
  }
  const circle = findCircle(servers);
  if (circle === undefined) return;
  const message = `The servers call each other in a circle: ${circle.join(' -> ')}. A call would never end.`;
  reader.report(['servers', circle[0]!, 'calls'], 'IMPOSSIBLE', message, 'Remove one of these calls.');
}

/** The first circle of calls, with its beginning repeated at the end. */
function findCircle(servers: Readonly<Record<string, ServerSpec>>): readonly string[] | undefined {
  const done = new Set<string>();
  const visit = (name: string, way: readonly string[]): readonly string[] | undefined => {
    const at = way.indexOf(name);
    if (at !== -1) return [...way.slice(at), name];
    if (done.has(name)) return undefined;
    for (const next of servers[name]?.calls ?? []) {
      const found = visit(next, [...way, name]);
      if (found !== undefined) return found;
    }
    done.add(name);
    return undefined;
  };
  for (const name of Object.keys(servers)) {
    const found = visit(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkTool(reader: ValueReader, tool: string, path: PlanPath, owners: Owners): void {
  if (owners.has(tool)) return;
  const advice = nearestWord(tool, owners.keys());
  reader.report(
    path,
    'UNKNOWN_KEY',
    `No server offers the tool "${tool}".`,
    advice === undefined ? `Tools: ${[...owners.keys()].join(', ')}.` : `Did you mean "${advice}"?`,
  );
}

function checkMoves(reader: ValueReader, { moves, servers }: Topology, owners: Owners): void {
  moves.forEach(({ tool, to }, index) => {
    const path = ['registry', 'moves', index];
    checkTool(reader, tool, [...path, 'tool'], owners);
    const names = Object.keys(servers);
    if (!names.includes(to)) reader.report([...path, 'to'], 'UNKNOWN_KEY', `There is no server "${to}".`, suggest(to, names));
  });
}

function checkAgent(reader: ValueReader, path: PlanPath, agent: AgentSpec, topology: Topology, owners: Owners): void {
  const name = String(path.at(-1));
  if ((agent.tasks === undefined) === (agent.perSecond === undefined)) {
    reader.report(path, 'MISSING_KEY', `The agent "${name}" needs "tasks" (so many in all) or "perSecond" (so many arrive), and not both.`);
  }
  if (agent.perSecond !== undefined && topology.lastsMs === undefined && topology.levels === undefined) {
    reader.report(
      [...path, 'perSecond'],
      'MISSING_KEY',
      `Tasks of "${name}" arrive for ever: say with "lasts" how long the simulation runs.`,
    );
  }
  const mayNeverEnd = agent.retry?.max === Number.POSITIVE_INFINITY && agent.taskDeadline === undefined;
  if (mayNeverEnd && topology.lastsMs === undefined && topology.levels === undefined) {
    const message = `Tasks of "${name}" may never end: their retries are unbounded.`;
    reader.report(
      [...path, 'retry', 'max'],
      'IMPOSSIBLE',
      message,
      'Give the agent a "taskDeadline", or the simulation an end with "lasts".',
    );
  }
  checkRetries(reader, path, agent);
  if ((agent.steps === undefined) === (agent.tools === undefined)) {
    reader.report(path, 'MISSING_KEY', `The agent "${name}" needs "tools" (taken in turn) or "steps" (one by one), and not both.`);
  }
  for (const key of ['tools', 'steps'] as const) {
    const isEmpty = agent[key]?.length === 0 || (key === 'steps' && agent.steps?.some((tools) => tools.length === 0) === true);
    if (isEmpty) reader.report([...path, key], 'MISSING_KEY', `The agent "${name}" has ${key} without a tool, so there is nothing to do.`);
  }
  if (agent.fanout !== undefined && agent.steps !== undefined)
    reader.report([...path, 'fanout'], 'IMPOSSIBLE', `"fanout" is for "tools"; "steps" says itself how many there are.`);
  agent.tools?.forEach((tool, index) => checkTool(reader, tool, [...path, 'tools', index], owners));
  agent.steps?.forEach((tools, index) => tools.forEach((tool) => checkTool(reader, tool, [...path, 'steps', index], owners)));
  if (agent.fallback !== undefined) checkTool(reader, agent.fallback, [...path, 'fallback'], owners);
  checkDeadlines(reader, path, agent, topology, owners);
}

/** A limiter refuses in no time: retries without a bound and without a wait would all happen in the same moment. */
function checkRetries(reader: ValueReader, path: PlanPath, { retry, limiter }: AgentSpec): void {
  if (retry?.max !== Number.POSITIVE_INFINITY || limiter === undefined) return;
  for (const key of ['backoff', 'maxBackoff'] as const) {
    if (retry[key] >= 1) continue;
    const message = `Unbounded retries against a limiter need time between them, and ${key} is ${retry[key]} ms.`;
    reader.report([...path, 'retry', key], 'IMPOSSIBLE', message, 'The nearest possible value is 1 ms.');
  }
}

/** Steps of one task, as lists of tools that are called at the same time. */
export function stepsOf(agent: AgentSpec): readonly (readonly string[])[] {
  if (agent.steps !== undefined) return agent.steps;
  const tools = agent.tools ?? [];
  const all = Array.from({ length: agent.fanout ?? tools.length }, (_, index) => tools[index % tools.length]!);
  return agent.isParallel ? [all] : all.map((tool) => [tool]);
}

function checkDeadlines(reader: ValueReader, path: PlanPath, agent: AgentSpec, { servers }: Topology, owners: Owners): void {
  const fastest = (tool: string): number => {
    const server = servers[owners.get(tool) ?? ''];
    if (server === undefined) return 0;
    const needed = server.calls.filter((name) => Object.hasOwn(servers, name)).map((name) => servers[name]!);
    return [server, ...needed].reduce((sum, one) => sum + fastestMs(one.service), 0);
  };
  const steps = stepsOf(agent);
  for (const tool of new Set(steps.flat())) {
    const ms = Math.ceil(fastest(tool));
    for (const key of ['deadline', 'timeout'] as const) {
      if (agent[key] >= ms) continue;
      const message = `No call of "${tool}" can be back within the ${key} of ${agent[key]} ms: its work takes ${ms} ms or more.`;
      reader.report([...path, key], 'IMPOSSIBLE', message, `The nearest possible value is ${ms} ms.`);
    }
  }
  const wholeMs = Math.ceil(steps.reduce((sum, tools) => sum + Math.max(0, ...tools.map(fastest)), 0));
  if (agent.taskDeadline === undefined || agent.taskDeadline >= wholeMs) return;
  const message = `No task can be done within the taskDeadline of ${agent.taskDeadline} ms: its steps take ${wholeMs} ms or more.`;
  reader.report([...path, 'taskDeadline'], 'IMPOSSIBLE', message, `The nearest possible value is ${wholeMs} ms.`);
}

function checkTimes(reader: ValueReader, { timeline, levels, lastsMs, servers, agents }: Topology): void {
  timeline.forEach(({ atMs, set, replicas }, index) => {
    if (lastsMs !== undefined && atMs >= lastsMs)
      reader.report(['timeline', index, 'at'], 'IMPOSSIBLE', `At ${atMs} ms the simulation is over: it lasts ${lastsMs} ms.`);
    checkReplicas(reader, set, replicas, ['timeline', index, 'replicas'], servers);
    checkRate(reader, set, ['timeline', index, 'set'], agents);
  });
  if (levels === undefined) return;
  if (levels.values.length < 2)
    reader.report(['levels', 'values'], 'OUT_OF_RANGE', 'levels.values needs two values or more: there must be a way there and back.');
  if (lastsMs !== undefined)
    reader.report(['levels'], 'IMPOSSIBLE', 'levels say themselves how long the simulation lasts: leave out "lasts" or "levels".');
  checkReplicas(reader, levels.set, levels.replicas, ['levels', 'replicas'], servers);
  checkRate(reader, levels.set, ['levels', 'set'], agents);
}

/** Only where tasks arrive is there a rate to change. */
function checkRate(reader: ValueReader, set: string, path: PlanPath, agents: Topology['agents']): void {
  const [part, name = ''] = set.split('.');
  if (part !== 'agents' || agents[name]?.perSecond !== undefined) return;
  reader.report(path, 'IMPOSSIBLE', `The tasks of "${name}" do not arrive: it has "tasks", so there is no rate to change.`);
}

function checkReplicas(reader: ValueReader, set: string, replicas: number | undefined, path: PlanPath, servers: Topology['servers']): void {
  if (replicas === undefined) return;
  const [part, name = ''] = set.split('.');
  const server = part === 'servers' ? servers[name] : undefined;
  if (server === undefined) reader.report(path, 'IMPOSSIBLE', `Only servers have replicas, and "${set}" is no server's.`);
  else if (replicas > server.replicas)
    reader.report(
      path,
      'OUT_OF_RANGE',
      `"${name}" has ${server.replicas} replicas, not ${replicas}.`,
      `The nearest allowed value is ${server.replicas}.`,
    );
}
