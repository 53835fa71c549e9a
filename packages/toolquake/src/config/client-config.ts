/** The servers in a config file of an MCP client, each with its place in the text. */
import { memberOf, type JsoncArray, type JsoncMember, type JsoncNode, type JsoncObject } from './jsonc.js';
import type { ServerCommand } from './proxied-command.js';

/** What all servers have. `offset` is where its name stands. */
type Named = { readonly name: string; readonly offset: number };

/** A server that the client starts by a command. */
export type StdioServer = Named &
  ServerCommand & {
    readonly kind: 'stdio';
    readonly object: JsoncObject;
    readonly commandMember: JsoncMember;
    readonly argsMember: (JsoncMember & { readonly value: JsoncArray }) | undefined;
  };
/** A server that the client reaches by its address. */
export type UrlServer = Named & { readonly kind: 'url'; readonly url: string };
/** An entry that we do not understand. */
export type OddServer = Named & { readonly kind: 'odd'; readonly why: string };
/** One entry of a config. */
export type ConfiguredServer = StdioServer | UrlServer | OddServer;

/**
 * Where servers are listed: `mcpServers` (.mcp.json, Claude, Cursor and most others), `servers` (VS Code's mcp.json),
 * and `mcp.servers` (VS Code's settings.json, which spells it either way).
 */
const LISTS: readonly (readonly string[])[] = [['mcpServers'], ['servers'], ['mcp', 'servers'], ['mcp.servers']];

/** All servers of a config, in the order of the text. */
export function serversOf(root: JsoncNode): readonly ConfiguredServer[] {
  return LISTS.flatMap((path) => {
    const list = path.reduce<JsoncNode | undefined>((node, name) => memberOf(node, name)?.value, root);
    if (list?.kind !== 'object') return [];
    // Of two with the same name, clients see the last.
    return list.members.filter((one) => memberOf(list, one.key.name) === one).map(serverOf);
  });
}

function serverOf({ key, value }: JsoncMember): ConfiguredServer {
  const named = { name: key.name, offset: key.start };
  const odd = (why: string): OddServer => ({ ...named, kind: 'odd', why });
  if (value.kind !== 'object') return odd('it is no object');
  const type = textOf(memberOf(value, 'type'));
  const url = textOf(memberOf(value, 'url')) ?? textOf(memberOf(value, 'serverUrl'));
  const commandMember = memberOf(value, 'command');
  if (url !== undefined && (commandMember === undefined || (type !== undefined && type !== 'stdio'))) return { ...named, kind: 'url', url };
  const command = textOf(commandMember);
  if (commandMember === undefined || command === undefined || command === '')
    return odd('it has no "command" that is a text, and no "url"');
  const argsMember = memberOf(value, 'args');
  const args = argsMember === undefined ? [] : textsOf(argsMember.value);
  if (args === undefined) return odd('its "args" is no list of texts');
  // A list of texts is a list, which the type of a member does not say.
  return { ...named, kind: 'stdio', command, args, object: value, commandMember, argsMember: argsMember as StdioServer['argsMember'] };
}

function textOf(member: JsoncMember | undefined): string | undefined {
  return member?.value.kind === 'scalar' && typeof member.value.value === 'string' ? member.value.value : undefined;
}

function textsOf(node: JsoncNode): readonly string[] | undefined {
  if (node.kind !== 'array') return undefined;
  const texts = node.items.map((item) => (item.kind === 'scalar' ? item.value : undefined));
  return texts.every((text) => typeof text === 'string') ? texts : undefined;
}
