import { PassThrough } from 'node:stream';
import { ToolquakeError } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { defineCommand, type CommandArguments, type CommandIo } from './command.js';
import { describeFailure } from './failure.js';
import { runProgram } from './program.js';

/** Two commands that only note what they were given. */
function createBench() {
  const calls: { name: string; args: CommandArguments; env: NodeJS.ProcessEnv }[] = [];
  const command = (name: string, more: object) =>
    defineCommand({
      name,
      summary: `Runs ${name}.`,
      options: [],
      examples: [`toolquake ${name}`],
      handle: (args, io) => {
        calls.push({ name, args, env: io.env });
        return Promise.resolve(4);
      },
      ...more,
    });
  const commands = [
    command('wrap stdio', {
      rest: { name: 'CMD...', about: 'A server.', isRequired: true },
      options: [
        { flag: '--plan', kind: 'text', value: 'FILE', about: 'A plan.' },
        { flag: '--strict', kind: 'switch', about: 'Strict.' },
        { flag: '--max-bytes', kind: 'integer', min: 1, max: 100, about: 'Bytes.', default: 7 },
        { flag: '--rate', kind: 'number', min: 0, max: 1, about: 'Rate.' },
      ],
    }),
    command('wrap http', { options: [{ flag: '--upstream', kind: 'text', value: 'URL', about: 'A server.', isRequired: true }] }),
    command('show', {
      options: [{ flag: '--seed', kind: 'integer', min: 0, about: 'A seed.' }],
      positionals: [
        { name: 'FILE', about: 'A file.' },
        { name: 'NAME', about: 'A name.', isOptional: true },
      ],
    }),
    command('list show', { options: [{ flag: '--json', kind: 'switch', about: 'JSON.' }], positionals: [{ name: 'ID', about: 'One.' }] }),
    command('list', { options: [{ flag: '--json', kind: 'switch', about: 'JSON.' }] }),
    command('join', { options: [], positionals: [{ name: 'FILE', about: 'Files.', isRepeated: true }] }),
  ];
  const out = new PassThrough();
  const err = new PassThrough();
  // Streams that are no terminals; commands only write to them.
  const io = { stdin: process.stdin, stdout: out, stderr: err, env: {}, signal: new AbortController().signal } as unknown as CommandIo;
  // Node 26 gives out one chunk at a time where older ones joined them.
  const read = (stream: PassThrough): string => {
    const chunks: Buffer[] = [];
    // A stream of bytes gives out buffers, and null when there are no more.
    for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read() as Buffer | null) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  return {
    calls,
    run: (...argv: string[]) => runProgram(argv, { commands, io, version: () => '1.2.3' }),
    refuse: async (...argv: string[]): Promise<string> => {
      const error: unknown = await runProgram(argv, { commands, io, version: () => '' }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ToolquakeError);
      expect(calls).toEqual([]);
      return `${(error as ToolquakeError).message} | ${(error as ToolquakeError).advice}`;
    },
    out: () => read(out),
    err: () => read(err),
  };
}

describe('the command line', () => {
  test('hands options, defaults and positionals to the command, and returns its exit code', async () => {
    const bench = createBench();
    expect(await bench.run('wrap', 'stdio', '--plan', 'p.yaml', '--rate=0.5', '--', 'node')).toBe(4);
    expect(await bench.run('show', 'a', 'b')).toBe(4);
    expect(bench.calls.map(({ name, args }) => ({ name, ...args }))).toEqual([
      { name: 'wrap stdio', options: { plan: 'p.yaml', maxBytes: 7, rate: 0.5 }, positionals: {}, words: [], rest: ['node'] },
      { name: 'show', options: {}, positionals: { FILE: 'a', NAME: 'b' }, words: ['a', 'b'], rest: [] },
    ]);
  });

  test('tells a command from those in the group of the same name, with the same options', async () => {
    const bench = createBench();
    await bench.run('list', '--json');
    await bench.run('list', 'show', 'a', '--json');
    expect(bench.calls.map(({ name, args }) => ({ name, options: args.options, words: args.words }))).toEqual([
      { name: 'list', options: { json: true }, words: [] },
      { name: 'list show', options: { json: true }, words: ['a'] },
    ]);
    await bench.run('--help');
    expect(bench.out()).toMatch(/ list +.*\n +list show ID/);
  });

  test('hands over all words of an argument that repeats, and wants at least one', async () => {
    const bench = createBench();
    expect(await bench.refuse('join')).toContain("Missing required argument 'FILE'.");
    await bench.run('join', 'a', 'b', 'c');
    expect(bench.calls[0]?.args.words).toEqual(['a', 'b', 'c']);
    await bench.run('--help');
    expect(bench.out()).toContain('join FILE...');
  });

  test('leaves everything after -- untouched', async () => {
    const bench = createBench();
    const rest = ['node', 'server.js', '--plan', 'x', '--help', '--', '--no-color', '-V', ''];
    await bench.run('wrap', 'stdio', '--', ...rest);
    expect(bench.calls[0]?.args).toMatchObject({ rest, options: { maxBytes: 7 } });
    expect(bench.calls[0]?.env).toEqual({});
  });

  test('takes -- as the end of options where no rest is asked for', async () => {
    const bench = createBench();
    await bench.run('show', '--', '--strange-file');
    expect(bench.calls[0]?.args.positionals).toEqual({ FILE: '--strange-file', NAME: undefined });
  });

  test('turns --no-color into NO_COLOR, wherever it stands', async () => {
    const bench = createBench();
    await bench.run('--no-color', 'show', 'a');
    await bench.run('show', 'a', '--no-color');
    expect(bench.calls.map(({ env }) => env['NO_COLOR'])).toEqual(['1', '1']);
  });

  test('shows help with examples at every level, and the version', async () => {
    const bench = createBench();
    expect(await bench.run()).toBe(0);
    const root = bench.out();
    expect(root).toContain('wrap stdio');
    expect(root).toContain('show FILE [NAME]');
    expect(root).toContain('Examples:');
    expect(await bench.run('wrap', 'stdio', '--help')).toBe(0);
    const help = bench.out();
    expect(help).toContain('Usage: toolquake wrap stdio [options] -- CMD...');
    expect(help).toContain('--max-bytes <integer>');
    expect(help).toContain('(default: 7)');
    expect(help).toContain('  toolquake wrap stdio\n');
    expect(await bench.run('--version')).toBe(0);
    expect(bench.out()).toBe('1.2.3\n');
    expect(await bench.run('wrap')).toBe(2);
    expect(bench.err()).toContain('Usage: toolquake wrap');
  });

  test.each([
    [['help'], 'Usage: toolquake [options]'],
    [['--no-color', 'help'], 'Usage: toolquake [options]'],
    [['help', 'show'], 'Usage: toolquake show [options]'],
    [['help', 'wrap'], 'Usage: toolquake wrap [options]'],
    [['help', 'wrap', 'stdio', '--', 'node', 'server.js'], 'Usage: toolquake wrap stdio [options] -- CMD...'],
  ])('%j is help, and starts nothing', async (argv, text) => {
    const bench = createBench();
    expect(await bench.run(...argv)).toBe(0);
    expect(bench.out()).toContain(text);
    expect([bench.err(), bench.calls]).toEqual(['', []]);
  });

  test.each([[['-V', 'show']], [['--version', 'wrap', 'stdio']], [['show', 'a', '-V']], [['-V', 'nonsense']]])(
    '%j is the version, and starts nothing',
    async (argv) => {
      const bench = createBench();
      expect(await bench.run(...argv)).toBe(0);
      expect([bench.out(), bench.calls]).toEqual(['1.2.3\n', []]);
    },
  );

  test.each([
    [['shwo'], 'There is no command "toolquake shwo". | Did you mean "show"? Run "toolquake --help".'],
    [['wrap', 'htpp'], 'There is no command "toolquake wrap htpp". | Did you mean "wrap http"? Run "toolquake --help".'],
    [['show'], `Missing required argument 'FILE'. | Run "toolquake show --help".`],
    [['show', 'a', 'b', 'c'], `Too many arguments for 'show'. Expected 2 arguments but got 3. | Run "toolquake show --help".`],
    [['wrap', 'stdio', '--plam', 'x', '--', 'a'], `Unknown option '--plam'. | Did you mean --plan? Run "toolquake wrap stdio --help".`],
    [['wrap', 'stdio', '--plan'], `Option '--plan <FILE>' argument missing. | Run "toolquake wrap stdio --help".`],
    [['wrap', 'stdio'], '"toolquake wrap stdio" needs CMD... after "--". | For example: toolquake wrap stdio'],
    [
      ['wrap', 'stdio', 'node'],
      `Too many arguments for 'stdio'. Expected 0 arguments but got 1. | Put CMD... after "--": toolquake wrap stdio -- CMD...`,
    ],
    [['wrap', 'http'], '"toolquake wrap http" needs --upstream: A server. | For example: toolquake wrap http'],
    [
      ['wrap', 'stdio', '--max-bytes', '0', '--', 'a'],
      '--max-bytes must be a whole number from 1 to 100, not "0". | The nearest allowed value is 1.',
    ],
    [
      ['wrap', 'stdio', '--max-bytes', '2.6', '--', 'a'],
      '--max-bytes must be a whole number from 1 to 100, not "2.6". | The nearest allowed value is 3.',
    ],
    [
      ['show', 'a', '--seed', '1e300'],
      '--seed must be a whole number of at least 0, not "1e300". | The nearest allowed value is 9007199254740991.',
    ],
    [['help', 'shwo'], 'There is no command "toolquake shwo". | Did you mean "show"? Run "toolquake --help".'],
    [['wrap', 'stdio', '--rate', 'NaN', '--', 'a'], '--rate must be a number from 0 to 1, not "NaN". | undefined'],
    [['wrap', 'stdio', '--rate', '', '--', 'a'], '--rate must be a number from 0 to 1, not "". | undefined'],
  ])('refuses %j before anything starts', async (argv, text) => {
    expect(await createBench().refuse(...argv)).toBe(text);
  });
});

describe('failures', () => {
  test('of the world exit with 3, of the input with 2, of ours with 1', () => {
    expect(describeFailure(new ToolquakeError('PORT_TAKEN', { message: 'm' }), false)).toEqual({
      message: 'm',
      advice: undefined,
      exitCode: 3,
    });
    expect(describeFailure(new ToolquakeError('UNREADABLE', { message: 'm', advice: 'a' }), false)).toEqual({
      message: 'm',
      advice: 'a',
      exitCode: 2,
    });
    expect(describeFailure(new TypeError('x is undefined'), false)).toMatchObject({
      message: 'Toolquake broke, and that is our mistake: x is undefined',
      exitCode: 1,
    });
  });

  test('show stacks and causes only to those who ask', () => {
    const error = new Error('outer', { cause: new Error('inner') });
    expect(describeFailure(error, false).message).not.toContain('program.test');
    expect(describeFailure(error, true).message).toMatch(/outer[^]*program\.test[^]*Caused by: Error: inner/);
    expect(describeFailure('a string', true).message).toContain('a string');
  });
});
