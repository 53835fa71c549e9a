/** `toolquake doctor`: three tables, and whether experiments can be run here. */
import { doctor, type Diagnosis, type Finding } from '../operations/doctor.js';
import { EXIT, type CommandArguments, type CommandIo } from './command.js';
import { coloursFor, renderTable, type Colours } from './terminal.js';

/** Looks, prints, and exits 3 where nothing should be run. */
export async function doctorPage({ options }: CommandArguments, io: CommandIo): Promise<number> {
  const diagnosis = await doctor({ env: io.env, signal: io.signal });
  const text =
    options['json'] === true
      ? `${JSON.stringify(diagnosis)}\n`
      : pageOf(diagnosis, { colours: coloursFor(io.stdout, io.env), width: io.stdout.columns ?? 100 });
  io.stdout.write(text);
  return diagnosis.isReady ? EXIT.pass : EXIT.environment;
}

type Paper = { readonly colours: Colours; readonly width: number };

function pageOf({ safety, means, actions, isReady }: Diagnosis, paper: Paper): string {
  const { colours } = paper;
  const end = isReady
    ? 'Experiments can be run here, and what they do is undone.'
    : 'Nothing should be run here before what says "no" under "Safety" is mended.';
  const sections = Object.entries({ Safety: safety, Means: means, Actions: actions });
  // One width for the names of all three, so that their columns stand below each other.
  const names = Math.max(...sections.flatMap(([, findings]) => findings.map(({ name }) => name.length)));
  const tables = sections.map(([title, findings]) => `${colours.bold(title)}\n${tableOf(findings, names, paper)}`);
  return `${tables.join('\n')}\n${(isReady ? colours.green : colours.red)(end)}\n`;
}

function tableOf(findings: readonly Finding[], names: number, { colours, width }: Paper): string {
  const paint = { ok: colours.green, no: colours.red, depends: colours.yellow };
  const rows = findings.map(({ name, state, detail, act }) => [
    name.padEnd(names),
    paint[state](state.padEnd('depends'.length)),
    act === undefined ? detail : `${detail.replace(/\.?$/, '.')} ${act}`,
  ]);
  return renderTable(rows, { width, indent: 2 });
}
