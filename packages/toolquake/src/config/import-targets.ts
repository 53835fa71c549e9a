/** The servers in the config of an MCP client as targets. */
import { dirname } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import { PLAIN_PROBE } from '../core/expectation.js';
import { serversOf } from './client-config.js';
import type { ConfiguredTarget } from './configured-target.js';
import { JsoncError, memberOf, parseJsonc, type JsoncNode } from './jsonc.js';
import { readPlanFile } from './plan-file.js';

/** Entries that nobody understands are left out: the client leaves them out, too. `shown` stands in messages. */
export async function importTargets(path: string, shown: string): Promise<readonly ConfiguredTarget[]> {
  const text = await readPlanFile(path);
  let root: JsoncNode;
  try {
    root = parseJsonc(text);
  } catch (cause) {
    if (!(cause instanceof JsoncError)) throw cause;
    throw new ToolquakeError('BAD_SYNTAX', {
      message: `${shown} cannot be read: ${cause.message}`,
      advice: 'Is it the config of an MCP client?',
      cause,
    });
  }
  return serversOf(root).flatMap((server): readonly ConfiguredTarget[] => {
    const entry = entryOf(root, server.offset);
    const known = { plan: PLAIN_PROBE, manifest: undefined, labels: {} };
    if (server.kind === 'url') {
      return [
        { ...known, target: { name: server.name, kind: 'url', url: server.url, headers: textsIn(memberOf(entry, 'headers')?.value) } },
      ];
    }
    if (server.kind === 'odd') return [];
    const command = [server.command, ...server.args];
    return [
      {
        ...known,
        target: { name: server.name, kind: 'command', command, env: textsIn(memberOf(entry, 'env')?.value), cwd: dirname(path) },
      },
    ];
  });
}

/** The value behind the key that stands at an offset. */
function entryOf(node: JsoncNode, offset: number): JsoncNode | undefined {
  if (node.kind !== 'object') return undefined;
  for (const { key, value } of node.members) {
    if (key.start === offset) return value;
    const found = value.start <= offset && offset < value.end ? entryOf(value, offset) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Texts by name. VS Code spells references `${env:NAME}`; the others `${NAME}`, as we do. */
function textsIn(node: JsoncNode | undefined): Readonly<Record<string, string>> {
  if (node?.kind !== 'object') return {};
  return Object.fromEntries(
    node.members.flatMap(({ key, value }) =>
      value.kind === 'scalar' && typeof value.value === 'string' ? [[key.name, value.value.replaceAll('${env:', '${')]] : [],
    ),
  );
}
