/** docs/transports.md: for each fault and transport the test that shows it, or why it cannot be. */
import type { Catalogue } from '@toolquake/sdk/core';
import { whyNotPlayed, type Scenario } from './scenario.js';
import type { StageName } from './stage.js';

const COLUMNS: Readonly<Record<string, readonly StageName[]>> = {
  stdio: ['stdio'],
  'HTTP, JSON': ['http-json'],
  'HTTP, event stream': ['http-sse'],
  fetch: ['fetch-json', 'fetch-sse'],
  simulator: ['simulator'],
};

const ABOVE = `# Which fault runs where

<!-- Generated from the faults and from test/early-check. Do not edit: run \`UPDATE=1 npx vitest run test/early-check\`. -->

One fault file runs on every transport. Each cell names the test that shows it there (\`test/early-check\`, with a real
client and a real server at the two ends), or says why it cannot be. Each of these tests also compares the decisions in
the journal, and the answers that the client saw, with those of the simulator for the same script.
`;

const BELOW = `## What each transport looks at

- **stdio proxy**: every line, both ways. Connections cannot be refused, there is no HTTP status and no heartbeat. A crash
  is a real one: the server is killed, and the proxy ends as it did.
- **HTTP proxy**: POST bodies, JSON answers and events in streams. A connection is drawn for when it is made, so clients
  that keep connections alive are asked less often. The connection that a refusal is drawn for was accepted already by
  the operating system: it is reset; the ones after it are refused for real. A crash is imitated: every connection is reset
  and new ones are refused, while the server itself lives on and finishes what it was doing.
- **fetch wrapper** (\`wrapFetch\` of \`@toolquake/sdk/interceptors\`): POST requests with a JSON body that is one MCP
  message, their answers, and GET event streams. Every fetch counts as a connection. Other requests pass untouched, apart
  from refused connections; batches pass untouched. A request body is sent as a whole, so \`pace\` on requests delays it
  and does not slice it. A freeze is imitated: nothing is sent and nothing handed on until it is over. So is
  a crash: the calls that rules look at fail, and every fetch is refused until it is over.
- **simulator**: messages as objects, on virtual time; nothing is serialised unless a fault needs the bytes.

In HTTP and fetch, \`heartbeat-only\` and \`list-changed-storm\` turn a response that has not begun into an event stream,
where the client accepts one; otherwise notices go to the client's GET stream. In the modern era closing a response is the
cancellation, so the answer of \`late-after-cancel\` finds nobody to read it on HTTP and fetch. The table shows the legacy
era; every other fault that acts in the modern era is also played there, on stdio, HTTP (event stream) and fetch (JSON).
`;

/** The whole document. Throws when a fault of the catalogue has no script. */
export function coverageDocument(scenarios: readonly Scenario[], catalogue: Catalogue): string {
  const scripted = new Set(scenarios.map(({ fault }) => fault));
  const missing = [...catalogue.keys()].filter((type) => !scripted.has(type));
  if (missing.length > 0) throw new Error(`no script in test/early-check for: ${missing.join(', ')}`);

  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const cell = (scenario: Scenario, names: readonly StageName[]): string => {
    const cells = names.map((name) => {
      const why = whyNotPlayed(scenario, catalogue.get(scenario.fault)!, name);
      return why === undefined ? `\`${scenario.name} > ${name}\`` : `cannot: ${why}`;
    });
    return [...new Set(cells)].join('<br>');
  };
  const label = ({ name, fault }: Scenario): string => (name === fault ? name : `${name} (${fault})`);
  const rows = scenarios.map((scenario) => row([label(scenario), ...Object.values(COLUMNS).map((names) => cell(scenario, names))]));
  const head = [row(['fault', ...Object.keys(COLUMNS)]), row(['fault', ...Object.keys(COLUMNS)].map(() => '---'))];
  return [ABOVE, ...head, ...rows, '', BELOW].join('\n');
}
