// A reliable weather agent, shaken: every scenario injects a fault, looks at what the user saw, makes sure that the fault
// fired, and that all is well afterwards. Run: node examples/weather-agent/main.mjs [words of a name]
import { play } from './play.mjs';
import { startRedis } from './redis-server.mjs';
import { cacheFaults } from './scenarios/cache.mjs';
import { credentials } from './scenarios/credentials.mjs';
import { weatherDown } from './scenarios/weather-down.mjs';
import { weatherWrong } from './scenarios/weather-wrong.mjs';
import { writes } from './scenarios/writes.mjs';

process.env.CHAOS_ENABLED = 'true'; // the guard: nothing is injected unless somebody says so

const words = process.argv.slice(2).join(' ');
const scenarios = [...weatherDown, ...weatherWrong, ...writes, ...cacheFaults, ...credentials].filter(({ name }) => name.includes(words));
const redis = await startRedis();
const played = [];
for (const scenario of scenarios) played.push(await play(scenario, redis.port));
await redis.stop();

const rows = [
  ['scenario', 'injected', 'what the user saw', 'fired', 'recovered'],
  ...played.map(({ name, injected, seen, fired, recovered }) => [name, injected, seen, fired, recovered]),
];
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );

const broken = played.filter(({ why }) => why !== undefined);
for (const { name, why } of broken) console.error(`\n${name}\n  ${why.replaceAll('\n', '\n  ')}`);
console.log(`\n${played.length - broken.length} of ${played.length} scenarios held`);
process.exitCode = broken.length > 0 || played.length === 0 ? 1 : 0;
