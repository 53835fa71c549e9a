import { defineCommand, textOf } from '../command.js';

/** Edits a client's config so that its servers start behind the stdio proxy. */
export const wrap = defineCommand({
  name: 'wrap',
  summary: "Edits an MCP client's config file so that its servers start behind the proxy.",
  positionals: [{ name: 'CONFIG', about: 'Such as .mcp.json, claude_desktop_config.json, .cursor/mcp.json or .vscode/mcp.json.' }],
  options: [
    { flag: '--plan', kind: 'text', value: 'FILE', about: 'Fault plan (YAML or JSON).', isRequired: true },
    {
      flag: '--server',
      kind: 'text',
      value: 'NAME',
      about: 'Only this server; may be repeated. Without it, all that start by a command.',
      isRepeatable: true,
    },
    { flag: '--journal', kind: 'text', value: 'FILE', about: 'Let the proxies append every decision and call to this file (JSONL).' },
    {
      flag: '--command',
      kind: 'text',
      value: 'PROGRAM',
      about: 'Program that starts Toolquake; default: this Node and this installation.',
    },
    { flag: '--dry-run', kind: 'switch', about: 'Show the change and write nothing.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
  ],
  examples: ['toolquake wrap .mcp.json --plan plan.yaml', 'toolquake wrap .vscode/mcp.json --server bank --plan plan.yaml --dry-run'],
  async handle({ positionals, options }, io) {
    const { wrapAndTell } = await import('../wrap-pages.js');
    return wrapAndTell(
      {
        configPath: positionals['CONFIG']!,
        planPath: textOf(options['plan'])!,
        journalPath: textOf(options['journal']),
        servers: textOf(options['server'])?.split(';') ?? [],
        program: textOf(options['command']),
        isDryRun: options['dryRun'] === true,
      },
      { isJson: options['json'] === true, io },
    );
  },
});
