/** Reads `key=a,b,c`, several of them separated by `;`. */
import { ToolquakeError } from '@toolquake/sdk/core';
import type { Sweep } from '../simulator/scenario.js';
import type { SettingValue } from '../simulator/topology.js';

/** The sweeps in the text of an option. Whether the keys exist is not its business. */
export function parseSweeps(text: string): readonly Sweep[] {
  const sweeps = text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [key = '', ...rest] = part.split('=');
      const values = rest
        .join('=')
        .split(',')
        .map((value) => value.trim());
      if (key.trim() === '' || rest.length === 0 || values.includes('')) {
        throw new ToolquakeError('BAD_ARGUMENT', {
          message: `--sweep must look like key=a,b,c, not "${part.trim()}".`,
          advice: 'For example: --sweep agents.planner.fanout=1,2,4,8',
        });
      }
      return { key: key.trim(), values: values.map(valueOf) };
    });
  const keys = sweeps.map(({ key }) => key);
  refuseTwice(keys, (key) => `--sweep has the key "${key}" twice.`);
  for (const { key, values } of sweeps) refuseTwice(values, (value) => `--sweep ${key} has the value ${String(value)} twice.`);
  return sweeps;
}

/** The same run twice would count as two, and make its figures look surer than they are. */
function refuseTwice<Item>(items: readonly Item[], message: (item: Item) => string): void {
  const twice = items.find((item, index) => items.indexOf(item) !== index);
  if (twice !== undefined) throw new ToolquakeError('BAD_ARGUMENT', { message: message(twice), advice: 'Say it once.' });
}

function valueOf(text: string): SettingValue {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}
