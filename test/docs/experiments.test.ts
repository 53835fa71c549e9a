/** The tables in docs/experiments.md are those of the program, and its examples load. Refresh them with UPDATE=1. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Action } from '../../packages/toolquake/src/actions/action.js';
import * as kinds from '../../packages/toolquake/src/actions/kinds/index.js';
import { EXPERIMENT_FIELDS } from '../../packages/toolquake/src/config/experiment-fields.js';
import { readExperimentText } from '../../packages/toolquake/src/config/load-experiment.js';
import { SIGNALS } from '../../packages/toolquake/src/core/sample.js';
import type { SettingField, SettingFields } from '../../packages/toolquake/src/core/setting-field.js';

const page = path.resolve(import.meta.dirname, '../../docs/experiments.md');
const cell = (text: string): string => text.replaceAll('|', '\\|');

function rowsOf(fields: SettingFields, before = ''): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const key = `${before}${name}`;
    const need = field.isRequired === true ? 'yes' : '';
    return [`| \`${key}\` | ${need} | ${cell(field.about)} |`, ...below(field, key)];
  });
}

function below(field: SettingField, key: string): readonly string[] {
  if (field.kind === 'group') return rowsOf(field.fields, `${key}.`);
  return field.kind === 'list' ? below(field.item, `${key}[]`) : [];
}

const paramsOf = ({ params }: Action): string =>
  Object.entries(params)
    .map(([name, { isRequired }]) => `\`${name}\`${isRequired === true ? ' (needed)' : ''}`)
    .join(', ');

const tables = {
  keys: ['| key | needed | |', '| --- | --- | --- |', ...rowsOf(EXPERIMENT_FIELDS)],
  signals: [
    '| signal | from | unit | |',
    '| --- | --- | --- | --- |',
    ...Object.entries(SIGNALS).map(([name, { source, unit, about }]) => `| \`${name}\` | ${source} | ${unit} | ${cell(about)} |`),
  ],
  actions: [
    '| action | hits | | parameters |',
    '| --- | --- | --- | --- |',
    ...Object.values<Action>(kinds)
      .toSorted((a, b) => (a.type < b.type ? -1 : 1))
      .map((action) => `| \`${action.type}\` | ${action.blast} | ${cell(action.summary)} | ${paramsOf(action)} |`),
  ],
};

test.each(Object.entries(tables))('the table of %s in the documents is that of the program', (name, rows) => {
  const text = readFileSync(page, 'utf8');
  const head = new RegExp(`<!-- ${name}:[^>]*-->\\n`).exec(text)!;
  const made = `${text.slice(0, head.index + head[0].length)}\n${rows.join('\n')}\n\n${text.slice(text.indexOf(`<!-- end of ${name} -->`))}`;
  if (process.env['UPDATE'] === '1') writeFileSync(page, made);
  expect(readFileSync(page, 'utf8')).toBe(made);
});

test('the files in the documents load', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolquake-docs-'));
  writeFileSync(path.join(folder, 'toolquake.yaml'), 'targets: [{ name: shop, url: "http://127.0.0.1:1/mcp" }]\n');
  const examples = [...readFileSync(page, 'utf8').matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text!);
  expect(examples).toHaveLength(2);
  for (const text of examples) expect((await readExperimentText(text, folder, { actions: kinds })).problems).toEqual([]);
});
