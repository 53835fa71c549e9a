import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCharacter } from '../reporters/fixtures/any-character.js';
import { serversOf } from './client-config.js';
import { parseJsonc, type JsoncNode } from './jsonc.js';
import type { ProxySettings } from './proxied-command.js';
import { originalText, unwrapText, wrapText } from './wrap-text.js';

const settings: ProxySettings = { launcher: ['/usr/bin/node', '/opt/toolquake.js'], planPath: '/p/plan.yaml' };
const other: ProxySettings = { launcher: ['toolquake'], planPath: '/p/other.yaml', journalPath: '/p/run.jsonl' };

/** White space and comments, as people and editors write them. */
const gap = fc.constantFrom('', ' ', '\n  ', '\r\n\t', ' /* a, "b" ] */ ', " // it's }\n", '\n\n    // é [\r\n    ');
const word = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 6 }),
  fc.constantFrom('--', 'proxy', 'stdio', '-y', '${workspaceFolder}/x'),
);
/** A text as JSON, spelled in one of the ways that JSON allows. */
const spelled = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.boolean()).map(([one, isEscaped]) => {
    const json = JSON.stringify(one);
    return isEscaped ? json.replace(/[a-z](?=[^\\]*$)/, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`) : json;
  });

/** A list or object of parts, with gaps everywhere and perhaps a trailing comma. */
const joined = (open: string, parts: fc.Arbitrary<string>[], close: string): fc.Arbitrary<string> =>
  fc.tuple(fc.tuple(...parts), fc.array(gap, { minLength: 20, maxLength: 20 }), fc.boolean()).map(([texts, gaps, isTrailing]) => {
    const inner = texts.map((text, index) => gaps[index % 20]! + text + gaps[(index + 7) % 20]!).join(',');
    return `${open}${inner}${isTrailing && texts.length > 0 ? ',' : ''}${gaps[19]!}${close}`;
  });
const member = (name: string, value: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(value, gap, gap).map(([text, before, after]) => `${JSON.stringify(name)}${before}:${after}${text}`);

const list = fc.array(word, { maxLength: 4 }).chain((words) =>
  joined(
    '[',
    words.map((one) => spelled(fc.constant(one))),
    ']',
  ),
);
const stdio = fc
  .record({ hasArgs: fc.boolean(), hasEnv: fc.boolean(), hasType: fc.boolean(), isReversed: fc.boolean() })
  .chain(({ hasArgs, hasEnv, hasType, isReversed }) => {
    const members = [
      ...(hasType ? [member('type', fc.constant('"stdio"'))] : []),
      member('command', spelled(fc.string({ minLength: 1, maxLength: 8 }))),
      ...(hasArgs ? [member('args', list)] : []),
      ...(hasEnv ? [member('env', joined('{', [member('A_TOKEN', fc.constant('"${input:t}"'))], '}'))] : []),
    ];
    return joined('{', isReversed ? members.toReversed() : members, '}');
  });
const byUrl = joined('{', [member('type', fc.constant('"http"')), member('url', fc.constant('"https://x.test/mcp"'))], '}');
const config = fc
  .tuple(
    fc.constantFrom('mcpServers', 'servers'),
    fc.array(fc.oneof(stdio, stdio, byUrl), { maxLength: 3 }),
    gap,
    fc.constantFrom('', '\uFEFF'),
  )
  .chain(([key, servers, end, mark]) =>
    joined(
      '{',
      [
        member('inputs', fc.constant('[1.50, {"id":"t"}, null]')),
        member(
          key,
          joined(
            '{',
            servers.map((server, index) => member(`s${index}`, fc.constant(server))),
            '}',
          ),
        ),
      ],
      '}',
    ).map((text) => mark + text + end),
  );

const commandsOf = (text: string): readonly (readonly string[])[] =>
  serversOf(parseJsonc(text)).flatMap((one) => (one.kind === 'stdio' ? [[one.name, one.command, ...one.args]] : []));
const namesOf = (text: string): Set<string> => new Set(commandsOf(text).map(([name]) => name!));
const valueOf = (node: JsoncNode): unknown => {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'array') return node.items.map(valueOf);
  return Object.fromEntries(node.members.map(({ key, value }) => [key.name, valueOf(value)]));
};

describe('any config, however it is written', () => {
  test('comes back byte for byte', () => {
    fc.assert(
      fc.property(config, (text) => {
        expect(unwrapText(wrapText(text, namesOf(text), settings), text)).toBe(text);
      }),
    );
  });

  test('starts the same commands behind the proxy, and says the same of everything else', () => {
    fc.assert(
      fc.property(config, (text) => {
        const wrapped = wrapText(text, namesOf(text), settings);
        const expected = commandsOf(text).map(([name, ...words]) => [
          name,
          '/usr/bin/node',
          '/opt/toolquake.js',
          'proxy',
          'stdio',
          '--plan',
          '/p/plan.yaml',
          `--target=${name}`,
          '--',
          ...words,
        ]);
        expect(commandsOf(wrapped)).toEqual(expected);
        const rest = (value: unknown): string =>
          JSON.stringify(value, (key, one: unknown) => (key === 'command' || key === 'args' ? undefined : one));
        expect(rest(valueOf(parseJsonc(wrapped)))).toBe(rest(valueOf(parseJsonc(text))));
      }),
    );
  });

  test('is the same after a second wrap, and never gets a proxy in a proxy', () => {
    fc.assert(
      fc.property(config, (text) => {
        const wrapped = wrapText(text, namesOf(text), settings);
        expect(wrapText(wrapped, namesOf(text), settings)).toBe(wrapped);
        const again = wrapText(wrapped, namesOf(text), other);
        expect(again.match(/--target=/g) ?? []).toHaveLength(namesOf(text).size);
        expect(unwrapText(again, text)).toBe(text);
      }),
    );
  });

  test('starts its own commands again without a backup', () => {
    fc.assert(
      fc.property(config, (text) => {
        const wrapped = wrapText(text, namesOf(text), settings);
        expect(commandsOf(unwrapText(wrapped, undefined))).toEqual(commandsOf(text));
        expect(commandsOf(originalText(wrapped))).toEqual(commandsOf(text));
      }),
    );
  });
});

test('only command and args differ, in the style of what is there', () => {
  const text =
    '{\n  // mine\n  "servers": {\n    "a": {\n      "command": "npx",\n      "args": [\n        "-y", // yes\n        "x",\n      ],\n    },\n    "b": { "command": "b" },\n  },\n}\n';
  expect(wrapText(text, new Set(['a', 'b']), { launcher: ['toolquake'], planPath: '/p' })).toBe(
    '{\n  // mine\n  "servers": {\n    "a": {\n      "command": "toolquake",\n      "args": [\n        "proxy",\n        "stdio",\n        "--plan",\n        "/p",\n        "--target=a",\n        "--",\n        "npx",\n        "-y", // yes\n        "x",\n      ],\n    },\n    "b": { "command": "toolquake", "args": ["proxy", "stdio", "--plan", "/p", "--target=b", "--", "b"] },\n  },\n}\n',
  );
});

test('edits of the owner stay, also those to the server itself', () => {
  const text = '{"mcpServers": {"a": {"command": "a" /* own */}, "b": {"command": "b", "args": ["1",  "2"]}}}';
  const wrapped = wrapText(text, new Set(['a', 'b']), settings);
  const edited = wrapped.replace('"1",  "2"]}', '"1",  "2", "3"], "env": {"X": "y"}}');
  expect(unwrapText(edited, text)).toBe(text.replace('"1",  "2"]}', '"1",  "2", "3"], "env": {"X": "y"}}'));
});

test('a reformatted file with a comma behind the last word is still JSON afterwards', () => {
  const wrapped = '{"mcpServers":{"a":{"command":"toolquake","args":["proxy","stdio","--plan","/p","--target=a","--","a",\n]}}}';
  expect(unwrapText(wrapped, undefined)).toBe('{"mcpServers":{"a":{"command":"a","args":[]}}}');
});

test('a proxy that somebody wrote by hand is part of the original', () => {
  const text = '{"mcpServers":{"a":{"command":"npx","args":["toolquake","proxy","stdio","--strict","--","a"]}}}';
  expect(originalText(text)).toBe(text);
  const wrapped = wrapText(text, new Set(['a']), settings);
  expect(commandsOf(wrapped)).toEqual([
    ['a', '/usr/bin/node', '/opt/toolquake.js', 'proxy', 'stdio', '--plan', '/p/plan.yaml', '--target=a', '--', 'a'],
  ]);
  expect(unwrapText(wrapped, text)).toBe(text);
});

test('other programs that have a "proxy stdio" of their own are not ours', () => {
  const text =
    '{"mcpServers":{"a":{"command":"mitm","args":["proxy","stdio","--","a"]},"b":{"command":"toolquake","args":["proxy","stdio"]}}}';
  expect(unwrapText(text, undefined)).toBe(text);
});
