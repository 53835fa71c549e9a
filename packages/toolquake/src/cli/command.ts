/** What a command is. One file each in `commands/`, one line in its index; help, parsing and errors are derived from it. */
import { ToolquakeError } from '@toolquake/sdk/core';

/** Exit codes of the product (design section 8). */
export const EXIT = {
  pass: 0,
  failed: 1,
  badInput: 2,
  environment: 3,
  neverFired: 4,
  inconclusive: 5,
  undoFailed: 6,
  interrupted: 130,
} as const;

/** The terminal and the world, handed to a command. stdout carries results, stderr everything else. */
export type CommandIo = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts on the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
};

/** One option. `kind` decides parsing: a switch has no value. */
export type CommandOption = {
  readonly flag: string;
  readonly kind: 'switch' | 'text' | 'number' | 'integer';
  /** Name of the value in the help, for example `FILE`. */
  readonly value?: string;
  readonly about: string;
  readonly default?: string | number | boolean;
  readonly min?: number;
  readonly max?: number;
  readonly isRequired?: boolean;
  /** May be given several times; the texts come joined by ";". */
  readonly isRepeatable?: boolean;
};

/** One positional argument; required unless `isOptional`. The last one may repeat. */
export type CommandPositional = {
  readonly name: string;
  readonly about: string;
  readonly isOptional?: boolean;
  readonly isRepeated?: boolean;
};

/** Parsed arguments: options by camelCase name, positional arguments by name and all in order, `rest` after `--`. */
export type CommandArguments = {
  readonly options: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly positionals: Readonly<Record<string, string | undefined>>;
  readonly words: readonly string[];
  readonly rest: readonly string[];
};

/** A command. `name` may have two words: `proxy stdio` lives in `proxy-stdio.ts`. */
export type Command = {
  readonly name: string;
  readonly summary: string;
  /** Positional arguments in order. */
  readonly positionals?: readonly CommandPositional[];
  /** What may follow `--`, for example a server command. */
  readonly rest?: { readonly name: string; readonly about: string; readonly isRequired: boolean };
  readonly options: readonly CommandOption[];
  readonly examples: readonly string[];
  /** Loads what it needs by dynamic import, so that `--help` stays fast. Resolves to the exit code. */
  handle(args: CommandArguments, io: CommandIo): Promise<number>;
};

/** Defines a command. */
export const defineCommand = (command: Command): Command => command;

type OptionValue = CommandArguments['options'][string];

/** An option's text, when it was given. */
export const textOf = (value: OptionValue): string | undefined => (typeof value === 'string' ? value : undefined);

/** An option's number, when it was given. */
export const numberOf = (value: OptionValue): number | undefined => (typeof value === 'number' ? value : undefined);

/** A word of a short list, or an error that names the list. */
export function wordOf<const Word extends string>(flag: string, given: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  const nearest = words.find((word) => word[0] === given[0]?.toLowerCase());
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `${flag} must be ${words.join(' or ')}, not "${given}".`,
    advice: nearest === undefined ? undefined : `Did you mean "${nearest}"?`,
  });
}
