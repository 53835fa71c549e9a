/**
 * Which names are tools of a server. A caller may send any name, and a name that was never listed, never registered and
 * never answered well is no label of its own.
 */
import { isObject, type JsonObject } from '../core/message.js';

/** A hostile list is read this far. */
const MAX_TOOLS = 10_000;

/** Tools that a server has. */
export type KnownTools = {
  has(tool: string): boolean;
  /** A result to a method: a list names tools, and a good answer proves one. */
  learn(method: string, tool: string | undefined, result: JsonObject): void;
};

/** Nothing is known but what was registered with one of the servers. */
export function createKnownTools(): KnownTools & { addServer(server: object): void } {
  const names = new Set<string>();
  const add = (name: unknown): void => {
    if (typeof name === 'string' && names.size < MAX_TOOLS) names.add(name);
  };
  return {
    has: (tool) => names.has(tool),
    learn(method, tool, result) {
      if (method === 'tools/call' && result['isError'] !== true) add(tool);
      const { tools } = result;
      if (method !== 'tools/list' || !Array.isArray(tools)) return;
      for (const listed of tools.slice(0, MAX_TOOLS)) add(isObject(listed) ? listed['name'] : undefined);
    },
    addServer(server) {
      // A private member of both SDK generations, so only asked when it is there: the names of tools that fail before
      // anybody lists them are not known without it.
      const registered: unknown = Reflect.get(server, '_registeredTools');
      if (isObject(registered)) Object.keys(registered).forEach(add);
    },
  };
}
