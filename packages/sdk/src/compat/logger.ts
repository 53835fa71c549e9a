/** Where the compatible layer says what it does: the console, unless told otherwise. */

/** A logger in the manner of pino, whose own fit directly. */
export type ChaosLogger = {
  debug(obj: Record<string, unknown>, msg: string): void;
  debug(msg: string): void;
  info(obj: Record<string, unknown>, msg: string): void;
  info(msg: string): void;
  warn(obj: Record<string, unknown>, msg: string): void;
  warn(msg: string): void;
  error(obj: Record<string, unknown>, msg: string): void;
  error(msg: string): void;
};

/** Makes the logger of one part, by its name: `chaos-controller`, `chaos-http`, `chaos-redis`, `chaos-auth`, `chaos-admin`. */
export type ChaosLoggerFactory = (name: string) => ChaosLogger;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type Write = (given: Record<string, unknown> | string, msg?: string) => void;

/** The default: the console, with the name in front. */
export function createConsoleLogger(name: string): ChaosLogger {
  const prefix = `[${name}]`;
  const writer =
    (level: (typeof LEVELS)[number]): Write =>
    (given, msg) =>
      // Asked for at every line, so that a console that was replaced since is the one that is written to.
      typeof given === 'string' ? console[level](prefix, given) : console[level](prefix, msg, given);
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

let factory: ChaosLoggerFactory = createConsoleLogger;
let made = new Map<string, ChaosLogger>();

/** Sets where everything is logged from now on, also by what was made before. */
export function configureChaosLogger(next: ChaosLoggerFactory): void {
  factory = next;
  made = new Map();
}

/** The logger of a part, as configured now. Ask anew for every line. */
export function loggerFor(name: string): ChaosLogger {
  const known = made.get(name);
  if (known !== undefined) return known;
  const logger = factory(name);
  made.set(name, logger);
  return logger;
}
