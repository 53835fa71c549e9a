/** Puts servers of a config text behind the proxy, and takes them out again. Only `command` and `args` change. */
import { serversOf, type StdioServer } from './client-config.js';
import { applyEdits, parseJsonc, type TextEdit } from './jsonc.js';
import { directCommand, proxyWordCount, proxyWords, type ProxySettings } from './proxied-command.js';

/** The servers of a text that start by a command. */
function stdioServers(text: string): readonly StdioServer[] {
  return serversOf(parseJsonc(text)).filter((server) => server.kind === 'stdio');
}

/** The text with the named servers behind the proxy; those behind one already get the new one instead. */
export function wrapText(text: string, names: ReadonlySet<string>, settings: ProxySettings): string {
  const direct = editEach(text, (server) => (names.has(server.name) ? stripEdits(text, server) : []));
  return editEach(direct, (server) => (names.has(server.name) ? wrapEdits(direct, server, settings) : []));
}

/**
 * The text with every server started directly. A server that still says what the backup said, apart from the proxy, gets
 * the very text of the backup; one that its owner has changed since keeps the changes.
 */
export function unwrapText(text: string, backup: string | undefined): string {
  const originals = new Map(backup === undefined ? [] : stdioServers(backup).map((server) => [server.name, server]));
  return editEach(text, (server) => {
    if (proxyWordCount(server) === 0) return [];
    const original = originals.get(server.name);
    if (backup === undefined || original === undefined || !isSameCommand(server, original)) return stripEdits(text, server);
    return restoreEdits(text, server, backup, original);
  });
}

/**
 * What to keep as the original where no backup says it: the text without what `wrapText` wrote. A proxy that somebody
 * wrote by hand is part of the original.
 */
export function originalText(text: string): string {
  return editEach(text, (server) => {
    const words = [server.command, ...server.args];
    return words[proxyWordCount(server) - 2] === `--target=${server.name}` ? stripEdits(text, server) : [];
  });
}

function editEach(text: string, editsOf: (server: StdioServer) => readonly TextEdit[]): string {
  return applyEdits(text, stdioServers(text).flatMap(editsOf));
}

function isSameCommand(one: StdioServer, other: StdioServer): boolean {
  return JSON.stringify(directCommand(one)) === JSON.stringify(directCommand(other));
}

function slice(text: string, { start, end }: { readonly start: number; readonly end: number }): string {
  return text.slice(start, end);
}

/** New words go before the arguments that are there, spaced as these are; the command keeps its spelling as one of them. */
function wrapEdits(text: string, server: StdioServer, settings: ProxySettings): readonly TextEdit[] {
  const { commandMember, argsMember } = server;
  const [command, ...words] = proxyWords(settings, server.name);
  const items = [...words.map((word) => JSON.stringify(word)), slice(text, commandMember.value)];
  const newCommand = { ...commandMember.value, text: JSON.stringify(command) };
  if (argsMember === undefined) {
    const lead = /[ \t\r\n]*$/.exec(text.slice(0, commandMember.key.start))![0];
    const colon = text.slice(commandMember.key.end, commandMember.value.start);
    const member = `,${lead}"args"${/^[\s:]*$/.test(colon) ? colon : ': '}[${items.join(', ')}]`;
    return [{ ...newCommand, text: newCommand.text + member }];
  }
  const [first] = argsMember.value.items;
  if (first === undefined) {
    const start = argsMember.value.start + 1;
    return [newCommand, { start, end: start, text: items.join(', ') }];
  }
  const gap = /[ \t\r\n]*$/.exec(text.slice(argsMember.value.start + 1, first.start))![0];
  const separator = `,${/[\r\n]/.test(gap) ? gap : ' '}`;
  return [newCommand, { start: first.start, end: first.start, text: items.map((item) => item + separator).join('') }];
}

/** Takes the proxy's words away, without a backup to look at. */
function stripEdits(text: string, server: StdioServer): readonly TextEdit[] {
  const count = proxyWordCount(server);
  const items = server.argsMember?.value.items ?? [];
  const own = items[count - 1];
  const first = items[0];
  if (count === 0 || own === undefined || first === undefined) return [];
  // Up to the next argument. Without one, a comma that a formatter put behind the last word must go, too.
  const listEnd = server.argsMember!.value.end - 1;
  const end = items[count]?.start ?? (text.slice(own.end, listEnd).includes(',') ? listEnd : own.end);
  return [
    { ...server.commandMember.value, text: slice(text, own) },
    { start: first.start, end, text: '' },
  ];
}

/** Puts back what the backup says, letter by letter. */
function restoreEdits(text: string, server: StdioServer, backup: string, original: StdioServer): readonly TextEdit[] {
  const command = { ...server.commandMember.value, text: slice(backup, original.commandMember.value) };
  if (server.argsMember === undefined) return [command];
  if (original.argsMember !== undefined) return [command, { ...server.argsMember.value, text: slice(backup, original.argsMember.value) }];
  return [command, ...removalOfArgs(text, server)];
}

/** The member `args` goes with one comma and the white space before it. */
function removalOfArgs(text: string, { object, argsMember }: StdioServer): readonly TextEdit[] {
  const index = object.members.findIndex((member) => member === argsMember);
  const member = object.members[index]!;
  const lead = /[ \t\r\n]*$/.exec(text.slice(0, member.key.start))![0].length;
  const comma = object.members[index - 1]?.comma ?? member.comma;
  const removed = { start: member.key.start - lead, end: member.value.end, text: '' };
  return comma === undefined ? [removed] : [{ start: comma, end: comma + 1, text: '' }, removed];
}
