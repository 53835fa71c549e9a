/** Who has which tool: the truth, and what callers believe, which may be older. */
import type { Move, Topology } from './topology.js';

/** See the module comment. */
export type Registry = {
  /** Where the registry sends a call of this tool, after looking the last time it was due. */
  route(tool: string, nowMs: number): string;
  /** Where the tool really is. */
  owner(tool: string, nowMs: number): string;
  /** Somebody found out that it is wrong: it looks again now. */
  renew(nowMs: number): void;
};

/** A registry over a topology. */
export function createRegistry({ servers, moves, registry }: Pick<Topology, 'servers' | 'moves' | 'registry'>): Registry {
  const home = new Map(Object.entries(servers).flatMap(([name, { tools }]) => tools.map((tool): [string, string] => [tool, name])));
  const moving = new Map<string, readonly Move[]>();
  for (const move of moves) {
    const others = moving.get(move.tool) ?? [];
    moving.set(
      move.tool,
      [...others, move].sort((a, b) => a.atMs - b.atMs),
    );
  }
  let renewedMs = 0;

  const owner = (tool: string, atMs: number): string => {
    let name = home.get(tool)!;
    for (const move of moving.get(tool) ?? []) if (move.atMs <= atMs) name = move.to;
    return name;
  };

  return {
    owner,
    route(tool, nowMs) {
      if (registry.refresh === 0) return owner(tool, nowMs);
      const lookedMs = Math.floor(nowMs / registry.refresh) * registry.refresh;
      return owner(tool, Math.max(lookedMs, renewedMs));
    },
    renew(nowMs) {
      renewedMs = nowMs;
    },
  };
}
