/** The scenarios that come with the product: one file each in the package's `scenarios` folder. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The folder of the installed package. */
export function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('toolquake/package.json'));
}

const ENDING = '.yaml';

/** Their names, in order. */
export function shippedScenarios(): readonly string[] {
  return readdirSync(join(packageFolder(), 'scenarios'))
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/** The file of a shipped scenario. */
export function scenarioFile(name: string): string {
  return join(packageFolder(), 'scenarios', `${name}${ENDING}`);
}
