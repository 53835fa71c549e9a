/** A server command behind the stdio proxy, as words: how to put it there, and how to recognise that it is. */

/** What a client starts. */
export type ServerCommand = { readonly command: string; readonly args: readonly string[] };

/** How the proxy is started. */
export type ProxySettings = {
  /** The program and what comes before `proxy stdio`. */
  readonly launcher: readonly [string, ...string[]];
  readonly planPath: string;
  readonly journalPath?: string | undefined;
};

/** The words that come before the server's own command; the first is the new command. */
export function proxyWords({ launcher, planPath, journalPath }: ProxySettings, target: string): readonly [string, ...string[]] {
  const journal = journalPath === undefined ? [] : ['--journal', journalPath];
  // With "=", so that a name that begins with a dash is still a value.
  return [...launcher, 'proxy', 'stdio', '--plan', planPath, ...journal, `--target=${target}`, '--'];
}

const VALUE_OPTION = /^--(plan|journal|seed|label|target|max-frame-bytes)(=|$)/;
const SWITCHES: readonly string[] = ['--strict', '--no-color'];
const OUR_NAME = /(^|[\\/])toolquake(\.(js|cmd|exe|ps1))?(@[^\\/]*)?$/;

/** How many words of `[command, ...args]` are the proxy's; 0 when the server is started directly. */
export function proxyWordCount({ command, args }: ServerCommand): number {
  const words = [command, ...args];
  const proxy = words.findIndex((word, index) => index > 0 && word === 'proxy' && words[index + 1] === 'stdio');
  if (proxy === -1) return 0;
  const options = new Set<string>();
  let at = proxy + 2;
  for (; at < words.length && words[at] !== '--'; at++) {
    const word = words[at]!;
    const [, name, equals] = VALUE_OPTION.exec(word) ?? [];
    if (name === undefined && !SWITCHES.includes(word)) return 0;
    options.add(name ?? word);
    if (name !== undefined && equals === '') at++;
  }
  if (at + 1 >= words.length) return 0;
  // By name, or, behind a launcher of any other name, by the options that only we would write.
  const isOurs = OUR_NAME.test(words[proxy - 1]!) || (options.has('plan') && options.has('target'));
  if (!isOurs) return 0;
  const inner = proxyWordCount({ command: words[at + 1]!, args: words.slice(at + 2) });
  return at + 1 + inner;
}

/** The server's own command. */
export function directCommand(given: ServerCommand): ServerCommand {
  const [command = given.command, ...args] = [given.command, ...given.args].slice(proxyWordCount(given));
  return { command, args };
}
