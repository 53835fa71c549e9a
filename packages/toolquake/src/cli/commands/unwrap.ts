import { defineCommand } from '../command.js';

/** Takes back what `wrap` did. */
export const unwrap = defineCommand({
  name: 'unwrap',
  summary: 'Takes back what "wrap" did to a config file, byte for byte.',
  positionals: [{ name: 'CONFIG', about: 'The config file that was wrapped.' }],
  options: [
    { flag: '--dry-run', kind: 'switch', about: 'Show the change and write nothing.' },
    { flag: '--json', kind: 'switch', about: 'Print JSON instead of text.' },
  ],
  examples: ['toolquake unwrap .mcp.json'],
  async handle({ positionals, options }, io) {
    const { unwrapAndTell } = await import('../wrap-pages.js');
    return unwrapAndTell(
      { configPath: positionals['CONFIG']!, isDryRun: options['dryRun'] === true },
      { isJson: options['json'] === true, io },
    );
  },
});
