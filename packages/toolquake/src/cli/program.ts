/** Makes a command-line program out of command definitions: parsing, help and messages are derived, never written twice. */
import { Command as Parser, CommanderError, Option } from 'commander';
import { suggest, ToolquakeError } from '@toolquake/sdk/core';
import { EXIT, type Command, type CommandArguments, type CommandIo, type CommandOption, type CommandPositional } from './command.js';
import { coloursFor } from './terminal.js';

/** What the program is made of. */
export type ProgramOptions = {
  readonly commands: readonly Command[];
  readonly io: CommandIo;
  /** Asked only for `--version`: reading it would cost every start. */
  readonly version: () => string;
};

const SUMMARY = 'Shake your tools before production does: chaos engineering for MCP tool calls.';
const ROOT_EXAMPLES = ['toolquake demo', 'toolquake plan check plan.yaml', 'toolquake proxy stdio --plan plan.yaml -- node server.js'];

/** Parses `argv` (without node and script), runs the command and resolves to its exit code. */
export async function runProgram(given: readonly string[], { commands, io: givenIo, version }: ProgramOptions): Promise<number> {
  const argv = withHelpAsOption(given);
  const io = withoutColour(argv) ? inBlackAndWhite(givenIo) : givenIo;
  if (wordsBeforeRest(argv).some((word) => word === '-V' || word === '--version')) {
    io.stdout.write(`${version()}\n`);
    return EXIT.pass;
  }
  const { head, rest, command, words } = split(argv, commands);
  if (command === undefined) refuseUnknown(words, commands);
  let exitCode: number | undefined;
  const root = createParser('toolquake', io).description(SUMMARY);
  root.option('--no-color', 'No colours; NO_COLOR=1 does the same.').option('-V, --version', 'Print the version.');
  root.addHelpText('after', examplesText(ROOT_EXAMPLES));
  root.action(() => {
    root.outputHelp();
    exitCode = EXIT.pass;
  });
  for (const one of commands) {
    const parser = addCommand(root, one, io);
    parser.action(async () => {
      exitCode = await one.handle(argumentsOf(one, parser, rest), io);
    });
  }
  try {
    await root.parseAsync(head, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.pass;
    // A group without its second word has printed its help.
    if (error.code === 'commander.help') return EXIT.badInput;
    throw refusalOf(error, command);
  }
  return exitCode ?? EXIT.pass;
}

/** "toolquake help proxy http" is what many people try first. */
function withHelpAsOption(argv: readonly string[]): readonly string[] {
  const first = argv.findIndex((word) => !word.startsWith('-'));
  // What follows "--" goes, too: nobody who asks for help wants it started.
  return argv[first] === 'help' ? [...wordsBeforeRest(argv.toSpliced(first, 1)), '--help'] : argv;
}

function wordsBeforeRest(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

function withoutColour(argv: readonly string[]): boolean {
  return wordsBeforeRest(argv).includes('--no-color');
}

/** Inherits instead of copying: `signal` is made when somebody asks for it. */
function inBlackAndWhite(io: CommandIo): CommandIo {
  return Object.create(io, { env: { value: { ...io.env, NO_COLOR: '1' }, enumerable: true } }) as CommandIo;
}

type Split = { readonly head: string[]; readonly rest: string[]; readonly command: Command | undefined; readonly words: readonly string[] };

/** Cuts `argv` at `--` for commands that take a rest, so that nothing after it is ever parsed. */
function split(argv: readonly string[], commands: readonly Command[]): Split {
  const end = argv.indexOf('--');
  const before = wordsBeforeRest(argv);
  const words = before.filter((word) => !word.startsWith('-'));
  const found = commands.filter(({ name }) => name.split(' ').every((word, index) => words[index] === word));
  // `runs show` is meant, not `runs`.
  const command = found.toSorted((one, other) => other.name.length - one.name.length)[0];
  const head = (command?.rest === undefined ? [...argv] : before).filter((word) => word !== '--no-color');
  return { head, rest: command?.rest === undefined || end === -1 ? [] : argv.slice(end + 1), command, words };
}

/** Says which word is no command. A group without its second word is left to the parser, which shows its help. */
function refuseUnknown([first, second]: readonly string[], commands: readonly Command[]): void {
  if (first === undefined) return;
  const names = commands.map(({ name }) => name.split(' '));
  const group = names.filter(([word]) => word === first);
  if (group.length > 0 && second === undefined) return;
  const given = group.length === 0 ? first : `${first} ${second}`;
  const allowed = group.length === 0 ? [...new Set(names.map(([word]) => word!))] : group.map((words) => words.join(' '));
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `There is no command "toolquake ${given}".`,
    advice: `${suggest(given, allowed)} Run "toolquake --help".`,
  });
}

function createParser(name: string, io: CommandIo): Parser {
  return configure(new Parser(name), io);
}

function configure(parser: Parser, io: CommandIo): Parser {
  const colours = coloursFor(io.stdout, io.env);
  return (
    parser
      .exitOverride()
      // What stands behind the word of a command belongs to it, also where its group knows the same option.
      .enablePositionalOptions()
      .configureOutput({
        writeOut: (text) => io.stdout.write(text),
        writeErr: (text) => io.stderr.write(text),
        // Errors are printed once, by whoever runs the program.
        outputError: () => {},
        getOutHelpWidth: () => io.stdout.columns ?? 100,
        getErrHelpWidth: () => io.stderr.columns ?? 100,
        getOutHasColors: () => colours.isColorSupported,
        getErrHasColors: () => coloursFor(io.stderr, io.env).isColorSupported,
      })
      .configureHelp({
        styleTitle: (text) => colours.bold(text),
        visibleCommands: (one) => leavesOf(one),
        subcommandTerm: (one) => termOf(one, parser),
      })
      .helpOption('-h, --help', 'Show this help.')
      .helpCommand(false)
      .showHelpAfterError(false)
  );
}

/** Parsers of commands; the others are groups, which only show help. */
const PARSERS = new WeakSet<Parser>();

/** `plan check`, not `plan`: a list of groups would hide what the product can do. A group may be a command, too. */
function leavesOf(parser: Parser): Parser[] {
  return parser.commands.flatMap((one) => [...(PARSERS.has(one) ? [one] : []), ...leavesOf(one)]);
}

function termOf(parser: Parser, above: Parser): string {
  const words = [parser.name()];
  for (let group = parser.parent; group !== null && group !== above; group = group.parent) words.unshift(group.name());
  const positionals = parser.registeredArguments.map((one) => {
    const word = one.variadic ? `${one.name()}...` : one.name();
    return one.required ? word : `[${word}]`;
  });
  return [...words, ...positionals].join(' ');
}

function addCommand(root: Parser, command: Command, io: CommandIo): Parser {
  const words = command.name.split(' ');
  const last = words.pop()!;
  let parent = root;
  for (const word of words) {
    parent = parent.commands.find((one) => one.name() === word) ?? addTo(parent, word, io).description(`The "${word}" commands.`);
  }
  const parser = (parent.commands.find((one) => one.name() === last) ?? addTo(parent, last, io)).description(command.summary);
  PARSERS.add(parser);
  for (const positional of command.positionals ?? []) parser.argument(usageOf(positional), positional.about);
  for (const option of command.options) parser.addOption(optionOf(option));
  if (command.rest !== undefined) {
    const usage = (command.positionals ?? []).map(usageOf);
    parser.usage(['[options]', ...usage, command.rest.isRequired ? `-- ${command.rest.name}` : `[-- ${command.rest.name}]`].join(' '));
    parser.addHelpText('after', `\nAfter --:\n  ${command.rest.name}  ${command.rest.about}`);
  }
  return parser.addHelpText('after', examplesText(command.examples));
}

function usageOf({ name, isOptional, isRepeated }: CommandPositional): string {
  const word = isRepeated === true ? `${name}...` : name;
  return isOptional === true ? `[${word}]` : `<${word}>`;
}

function addTo(parent: Parser, word: string, io: CommandIo): Parser {
  const parser = createParser(word, io);
  parent.addCommand(parser);
  return parser;
}

function examplesText(examples: readonly string[]): string {
  return examples.length === 0 ? '' : `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}

function optionOf(option: CommandOption): Option {
  const made = new Option(option.kind === 'switch' ? option.flag : `${option.flag} <${option.value ?? option.kind}>`, option.about);
  if (option.default !== undefined) made.default(option.default);
  return made.argParser<unknown>((given, before) => {
    if (option.kind === 'number' || option.kind === 'integer') return numberOf(option, given);
    return option.isRepeatable === true && typeof before === 'string' ? `${before};${given}` : given;
  });
}

/** A number in range, or an error that says the range and the nearest allowed value. */
function numberOf(option: CommandOption, given: string): number {
  const { flag, kind, min = -Infinity, max = Infinity } = option;
  const value = given.trim() === '' ? Number.NaN : Number(given);
  const isGood = Number.isFinite(value) && value >= min && value <= max && (kind === 'number' || Number.isSafeInteger(value));
  if (isGood) return value;
  const most = kind === 'integer' ? Math.min(max, Number.MAX_SAFE_INTEGER) : max;
  const nearest = Math.min(most, Math.max(min, kind === 'integer' ? Math.round(value) : value));
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${flag} must be ${kind === 'integer' ? 'a whole number' : 'a number'}${rangeText(min, max)}, not "${given}".`,
    advice: Number.isFinite(nearest)
      ? `The nearest allowed value is ${nearest}.`
      : option.default === undefined
        ? undefined
        : `For example: ${flag} ${option.default}`,
  });
}

function rangeText(min: number, max: number): string {
  if (Number.isFinite(min) && Number.isFinite(max)) return ` from ${min} to ${max}`;
  if (Number.isFinite(min)) return ` of at least ${min}`;
  return Number.isFinite(max) ? ` of at most ${max}` : '';
}

function argumentsOf(command: Command, parser: Parser, rest: readonly string[]): CommandArguments {
  const name = `toolquake ${command.name}`;
  const example = command.examples[0] === undefined ? undefined : `For example: ${command.examples[0]}`;
  if (command.rest?.isRequired === true && rest.length === 0) {
    throw new ToolquakeError('BAD_ARGUMENT', { message: `"${name}" needs ${command.rest.name} after "--".`, advice: example });
  }
  const options: Record<string, string | number | boolean | undefined> = parser.opts();
  for (const option of command.options) {
    if (option.isRequired === true && options[optionOf(option).attributeName()] === undefined) {
      throw new ToolquakeError('BAD_ARGUMENT', { message: `"${name}" needs ${option.flag}: ${option.about}`, advice: example });
    }
  }
  const positionals = Object.fromEntries((command.positionals ?? []).map((one, index) => [one.name, parser.args[index]]));
  return { options, positionals, words: parser.args, rest };
}

/** The parser's own words, without its prefix; its suggestion becomes our advice. */
function refusalOf(error: CommanderError, command: Command | undefined): ToolquakeError {
  const [first = '', ...more] = error.message.replace(/^error: /, '').split('\n');
  const message = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.?$/, '.')}`;
  const suggestion = more.join(' ').replace(/^\(|\)$/g, '');
  if (error.code === 'commander.excessArguments' && command?.rest !== undefined) {
    return new ToolquakeError('BAD_ARGUMENT', {
      message,
      advice: `Put ${command.rest.name} after "--": toolquake ${command.name} -- ${command.rest.name}`,
    });
  }
  const help = `Run "toolquake${command === undefined ? '' : ` ${command.name}`} --help".`;
  return new ToolquakeError('BAD_ARGUMENT', { message, advice: suggestion === '' ? help : `${suggestion} ${help}` });
}
