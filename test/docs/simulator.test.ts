/** docs/simulator.md: its tables are made from the tables that the simulator itself reads, and its topology runs. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createCatalogue } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { expect, test } from 'vitest';
import { readScenario } from '../../packages/toolquake/src/config/load-scenario.js';
import { scenarioFile, shippedScenarios } from '../../packages/toolquake/src/config/shipped-scenarios.js';
import { FIGURES } from '../../packages/toolquake/src/simulator/figures-of-run.js';
import {
  AGENT_FIELDS,
  GATEWAY_FIELDS,
  REGISTRY_FIELDS,
  SERVER_FIELDS,
  type Field,
  type Fields,
} from '../../packages/toolquake/src/simulator/topology-fields.js';
import { freshFolder, toolquake } from '../demo/toolquake.js';

const file = path.resolve(import.meta.dirname, '../../docs/simulator.md');
const catalogue = createCatalogue(faults);

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const timeText = (ms: number): string => (ms >= 1000 && ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`);

function defaultOf(field: Field): string {
  if ('isRequired' in field && field.isRequired === true) return 'required';
  if (field.kind === 'spread') return '20ms';
  if (!('default' in field) || field.default === undefined) return '';
  if (field.kind === 'time') return timeText(field.default as number);
  return Array.isArray(field.default) ? 'none' : String(field.default);
}

function fieldRows(fields: Fields, prefix = ''): readonly (readonly string[])[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const own = [`\`${prefix}${name}\`${field.isLive === true ? ' (live)' : ''}`, defaultOf(field), field.about];
    return field.kind === 'group' ? [own, ...fieldRows(field.fields, `${prefix}${name}.`)] : [own];
  });
}

const keys = (fields: Fields): string => table(['key', 'default', 'meaning'], fieldRows(fields));
const scenarioRow = (name: string): readonly string[] => {
  const { title, variants } = readScenario(name, readFileSync(scenarioFile(name), 'utf8'), catalogue);
  return [`\`${name}\``, title, variants.map((variant) => variant.name).join('<br>')];
};
const SECTIONS: Readonly<Record<string, () => string>> = {
  scenarios: () => table(['scenario', 'what it shows', 'variants'], shippedScenarios().map(scenarioRow)),
  servers: () => keys(SERVER_FIELDS),
  gateway: () => keys(GATEWAY_FIELDS),
  registry: () => keys(REGISTRY_FIELDS),
  agents: () => keys(AGENT_FIELDS),
  figures: () =>
    table(
      ['figure', 'meaning'],
      Object.entries(FIGURES).map(([name, about]) => [`\`${name}\``, about]),
    ),
};

test('says what the tables of the simulator say (update it with: UPDATE=1 npx vitest run test/docs)', () => {
  const text = readFileSync(file, 'utf8');
  const made = text.replace(
    /<!-- generated: (\w+) -->\n[\s\S]*?<!-- end -->/g,
    (_, name: string) => `<!-- generated: ${name} -->\n${SECTIONS[name]!()}\n<!-- end -->`,
  );
  expect(new Set([...made.matchAll(/<!-- generated: (\w+)/g)].map(([, name]) => name))).toEqual(new Set(Object.keys(SECTIONS)));
  if (process.env['UPDATE'] === '1') writeFileSync(file, made);
  expect(readFileSync(file, 'utf8')).toBe(made);
});

test('the topology that it shows runs', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(file, 'utf8')) ?? [];
  const topology = path.join(freshFolder(), 'shop.yaml');
  writeFileSync(topology, yaml);
  const { stdout, stderr } = toolquake(['simulate', topology]);
  expect(stderr).toBe('');
  expect(stdout).toContain('with a retry budget');
});
