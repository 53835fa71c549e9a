/** docs/transports.md: for each fault and transport the test that shows it, or why it cannot be. */
import { whyNotOn, type Catalogue } from '@toolquake/sdk/core';
import { commandFaults } from './command-faults.js';
import { catalogueRows, type CatalogueRow } from './catalogue-rows.js';
import { whyNotPlayed, type Scenario } from './scenario.js';
import type { StageName } from './stage.js';
import { tcpFaults } from './tcp-faults.js';

const COLUMNS: Readonly<Record<string, readonly StageName[]>> = {
  stdio: ['stdio'],
  'HTTP, JSON': ['http-json'],
  'HTTP, event stream': ['http-sse'],
  'legacy HTTP+SSE': ['http-legacy-sse'],
  fetch: ['fetch-json', 'fetch-sse'],
  'in-process': ['in-process'],
  simulator: ['simulator'],
};

const STREAM_COLUMN = 'TCP';
const COMMAND_COLUMN = 'database';

const ABOVE = `# Which fault runs where

<!-- Generated from the faults and from test/early-check. Do not edit: run \`UPDATE=1 npx vitest run test/early-check/coverage\`. -->

One fault file runs on every transport. Each cell names the test that shows it there (\`test/early-check\`, with a real
client and a real server at the two ends), or says why it cannot be. Each of these tests also compares the decisions in
the journal, and the answers that the client saw, with those of the simulator for the same script. TCP streams have no
messages to compare: their tests show what a client of the proxy saw of its bytes, and that the rule fired. Commands to a
database are no messages of MCP, either: their tests show what a client saw of its commands, and that the rule fired.
`;

const BELOW = `## What each transport looks at

- **stdio proxy**: every line, both ways; the messages of a batch one by one. Connections cannot be refused, there is no HTTP status and no heartbeat. A crash
  is a real one: the server is killed, and the proxy ends as it did.
- **HTTP proxy**: POST bodies, JSON answers and events in streams; the messages of a batch one by one. A connection is drawn for when it is made, so clients
  that keep connections alive are asked less often. The connection that a refusal is drawn for was accepted already by
  the operating system: it is reset; the ones after it are refused for real. A crash is imitated: every connection is reset
  and new ones are refused, while the server itself lives on and finishes what it was doing.
- **HTTP proxy, legacy HTTP+SSE** (2024-11-05): the same proxy. A stream whose first event announces an endpoint is a
  session, and a POST to that endpoint belongs to it. A fault that answers with a message says so in the stream, and the
  POST gets the usual 202; a fault that answers with a status says so to the POST. Breaking the connection breaks the
  stream, and the POST where it still waits. An announcement that names the upstream by an absolute URL is rewritten to
  lead through the proxy, without a plan too; any other one passes as it is.
- **fetch wrapper** (\`wrapFetch\` of \`@toolquake/sdk/interceptors\`): POST requests with a JSON body that is one MCP
  message, their answers, and GET event streams. Every fetch counts as a connection. Other requests pass untouched, apart
  from refused connections; batches pass untouched. A request body is sent as a whole, so \`pace\` on requests delays it
  and does not slice it. A freeze is imitated: nothing is sent and nothing handed on until it is over. So is
  a crash: the calls that rules look at fail, and every fetch is refused until it is over.
- **in process** (\`interceptTransport\`): messages as objects, both ways, through any \`Transport\` of the MCP SDKs. There are no
  bytes, no HTTP and no connections to refuse. A drop or a crash closes the transport, bytes that are no message come as
  its \`onerror\`, and a freeze keeps everything back until it is over.
- **database** (\`interceptRedis\`, \`attachCommands\`): commands of a client library to its server, one by one ([redis.md](redis.md)). The table is
  played with a client in memory; what the libraries themselves make of each fault is tested with a real server (\`test/system/redis\`).
- **TCP proxy**: connections and bytes, both ways ([tcp.md](tcp.md)).
- **simulator**: messages as objects, on virtual time; nothing is serialised unless a fault needs the bytes.

In HTTP and fetch, \`heartbeat-only\` and \`list-changed-storm\` turn a response that has not begun into an event stream,
where the client accepts one; otherwise notices go to the client's GET stream. In the modern era closing a response is the
cancellation, so the answer of \`late-after-cancel\` finds nobody to read it on HTTP and fetch. The table shows the legacy
era; every other fault that acts in the modern era is also played there, on stdio, HTTP (event stream), fetch (JSON) and in process.
`;

const ABOVE_ROWS = `## The catalogue of failures

What goes wrong with MCP tool calls in the wild, by family, and what shows it here: a fault (with the parameters or the
part of a rule that make the difference), or a row of the table above. What is not decided on events says why.
`;

/** One cell: the tests that show a fault on a transport, or why there is none. */
export type CoverageCell = {
  readonly row: string;
  readonly column: string;
  readonly tests: readonly string[];
  readonly why: string | undefined;
};

/** The cells of the table. Throws when a fault of the catalogue has no script. */
export function coverageCells(scenarios: readonly Scenario[], catalogue: Catalogue): readonly CoverageCell[] {
  const scripted = new Set(scenarios.map(({ fault }) => fault));
  const missing = [...catalogue.keys()].filter((type) => !scripted.has(type));
  if (missing.length > 0) throw new Error(`no script in test/early-check for: ${missing.join(', ')}`);

  const cell = (scenario: Scenario, column: string, stages: readonly StageName[]): CoverageCell => {
    const all = stages.map((stage) => ({ stage, why: whyNotPlayed(scenario, catalogue.get(scenario.fault)!, stage) }));
    const tests = all.flatMap(({ stage, why }) => (why === undefined ? [`${scenario.name} > ${stage}`] : []));
    return { row: scenario.name, column, tests, why: all.find(({ why }) => why !== undefined)?.why };
  };
  return scenarios.flatMap((scenario) => [
    ...Object.entries(COLUMNS).map(([column, stages]) => cell(scenario, column, stages)),
    commandCell(scenario, catalogue),
    streamCell(scenario, catalogue),
  ]);
}

function commandCell({ name, fault }: Scenario, catalogue: Catalogue): CoverageCell {
  const tests = commandFaults.filter((script) => script.name === name).map((script) => `${script.name} > database`);
  const never = whyNotOn(catalogue.get(fault)!, 'database');
  const why =
    never === undefined ? (tests.length > 0 ? undefined : `What it shows of a command is the same as ${fault}.`) : asSentence(never);
  return { row: name, column: COMMAND_COLUMN, tests, why };
}

function streamCell({ name, fault }: Scenario, catalogue: Catalogue): CoverageCell {
  const tests = tcpFaults.filter((script) => script.name === name).map((script) => `${script.name} > tcp`);
  const why = whyNotOn(catalogue.get(fault)!, 'tcp');
  return { row: name, column: STREAM_COLUMN, tests, why: why === undefined ? undefined : asSentence(why) };
}

/** The reasons of the pairing itself are parts of a longer sentence. */
const asSentence = (why: string): string => why.replace(/^it acts/, 'It acts').replace(/[^.]$/, '$&.');

/** The whole document. */
export function coverageDocument(scenarios: readonly Scenario[], catalogue: Catalogue): string {
  const cells = coverageCells(scenarios, catalogue);
  const label = ({ name, fault }: Scenario): string => (name === fault ? name : `${name} (${fault})`);
  const faultRows = scenarios.map((scenario) => [
    label(scenario),
    ...cells
      .filter(({ row }) => row === scenario.name)
      .map(({ tests, why }) => [...tests.map((test) => `\`${test}\``), ...(why === undefined ? [] : [`cannot: ${why}`])].join('<br>')),
  ]);
  const families = [...new Set(catalogueRows.map(({ family }) => family))].flatMap((family) => [
    `### ${family}`,
    '',
    ...table(
      ['failure', 'shown by'],
      catalogueRows.filter((row) => row.family === family).map((row) => [`\`${row.row}\``, shown(row)]),
    ),
    '',
  ]);
  return (
    [ABOVE, ...table(['fault', ...Object.keys(COLUMNS), COMMAND_COLUMN, STREAM_COLUMN], faultRows), '', BELOW, ABOVE_ROWS, ...families]
      .join('\n')
      .trimEnd() + '\n'
  );
}

function shown({ shownBy, how, why }: CatalogueRow): string {
  if (shownBy === undefined) return `not decided on events: ${why}`;
  const names = shownBy.map((name) => `\`${name}\``).join(', ');
  return how === undefined ? names : `${names}: ${how}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
