/** Finds out what `toolquake simulate` was given: a shipped scenario, a topology, a fault plan, or nothing. */
import { existsSync } from 'node:fs';
import { createCatalogue, suggest, ToolquakeError } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { looksLikeTopology, readScenario } from '../config/load-scenario.js';
import { readPlanFile } from '../config/plan-file.js';
import { scenarioFile, shippedScenarios } from '../config/shipped-scenarios.js';
import { EXIT, type CommandArguments, type CommandIo } from './command.js';
import { simulatePlan } from './simulate-plan.js';
import { simulateScenario } from './simulate-scenario.js';
import { coloursFor, renderTable } from './terminal.js';

/** Options that only make sense for one of the two. */
const FOR_PLANS = ['tasks', 'fanout', 'rate', 'random', 'resilience', 'era'];
const FOR_SCENARIOS = ['sweep', 'variant', 'threads', 'everyCall'];

/** Does what was asked for. */
export async function simulateAny(args: CommandArguments, io: CommandIo): Promise<number> {
  if (args.options['list'] === true) return list(io);
  const given = args.positionals['SCENARIO'];
  if (given === undefined) return plan(undefined, args, io);
  // A file of that name is what the user sees in front of them; shipped scenarios come second.
  if (!existsSync(given) && shippedScenarios().includes(given)) return scenario(given, scenarioFile(given), args, io);
  if (!existsSync(given) && /^[\w-]+$/.test(given)) {
    throw new ToolquakeError('UNREADABLE', {
      message: `There is no scenario and no file called "${given}".`,
      advice: `${suggest(given, shippedScenarios())} "toolquake simulate --list" says what each shows.`,
    });
  }
  return looksLikeTopology(await readPlanFile(given)) ? scenario(given, given, args, io) : plan(given, args, io);
}

function plan(path: string | undefined, args: CommandArguments, io: CommandIo): Promise<number> {
  refuse(args, FOR_SCENARIOS, 'scenarios and topologies', 'A fault plan has --tasks, --fanout and --seeds.');
  return simulatePlan(path, args, io);
}

async function scenario(name: string, path: string, args: CommandArguments, io: CommandIo): Promise<number> {
  refuse(args, FOR_PLANS, 'fault plans', 'A scenario says itself what is simulated; change it with --sweep KEY=VALUE.');
  return simulateScenario(name, await readPlanFile(path), args, io);
}

function refuse({ options }: CommandArguments, names: readonly string[], whom: string, advice: string): void {
  const wrong = names.find((name) => options[name] !== undefined);
  if (wrong === undefined) return;
  const flag = `--${wrong.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new ToolquakeError('BAD_ARGUMENT', { message: `${flag} is for ${whom}.`, advice });
}

async function list(io: CommandIo): Promise<number> {
  const { bold, dim } = coloursFor(io.stdout, io.env);
  const catalogue = createCatalogue(faults);
  const rows: string[][] = [];
  for (const name of shippedScenarios()) {
    const { title, variants } = readScenario(name, await readPlanFile(scenarioFile(name)), catalogue);
    rows.push([bold(name), title], ['', dim(variants.map((variant) => variant.name).join(' | '))]);
  }
  io.stdout.write(renderTable(rows, { width: io.stdout.columns ?? 100 }));
  io.stdout.write('\nRun one with "toolquake simulate NAME"; its file stands in the scenarios folder of the package.\n');
  return EXIT.pass;
}
