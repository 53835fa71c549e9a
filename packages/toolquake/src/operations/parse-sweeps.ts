/** Reads `key=a,b,c`, several of them separated by `;`. */
import { ToolquakeError } from '@toolquake/sdk/core';
import type { Sweep } from '../simulator/scenario.js';
import type { SettingValue } from '../simulator/topology.js';

/** The sweeps in the text of an option. Whether the keys exist is not its business. */
export function parseSweeps(text: string): readonly Sweep[] {
  return text
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
}

function valueOf(text: string): SettingValue {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}
