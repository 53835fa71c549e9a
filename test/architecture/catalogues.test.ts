// Adding a unit is one file, one line in index.ts and one test. This walks each catalogue folder and holds everybody to it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** What every unit has in common, whatever its catalogue: a word, a sentence, and described inputs. */
type Unit = {
  readonly word: unknown;
  readonly summary: unknown;
  readonly inputs: readonly (readonly [name: string, about: unknown])[];
};

type Catalogue = {
  readonly folder: string;
  /** Units with a test of their own beside them; commands are tested through the real CLI in test/. */
  readonly hasTestBeside: boolean;
  read(exported: Record<string, unknown>): Unit;
};

const sentence = /^[A-Z"`].*\.$/s;

const catalogues: readonly Catalogue[] = [
  {
    folder: 'packages/sdk/src/faults',
    hasTestBeside: true,
    read: ({ type, summary, params }) => ({
      word: type,
      summary,
      inputs: Object.entries(params as Record<string, { about: unknown }>).map(([name, spec]) => [name, spec.about]),
    }),
  },
  {
    folder: 'packages/toolquake/src/cli/commands',
    hasTestBeside: false,
    read: ({ name, summary, options, positionals = [], rest }) => ({
      // A command of two words, `proxy stdio`, lives in `proxy-stdio.ts`.
      word: String(name).replaceAll(' ', '-'),
      summary,
      inputs: [
        ...(options as { flag: string; about: unknown }[]).map((option) => [option.flag, option.about] as const),
        ...(positionals as { name: string; about: unknown }[]).map((positional) => [positional.name, positional.about] as const),
        ...(rest === undefined ? [] : [['--', (rest as { about: unknown }).about] as const]),
      ],
    }),
  },
  {
    folder: 'packages/toolquake/src/actions/kinds',
    hasTestBeside: true,
    read: ({ type, summary, params }) => ({
      word: type,
      summary,
      inputs: Object.entries(params as Record<string, { about: unknown }>).map(([name, field]) => [name, field.about]),
    }),
  },
  {
    folder: 'packages/toolquake/src/undo/steps',
    hasTestBeside: true,
    read: ({ kind, summary }) => ({ word: kind, summary, inputs: [] }),
  },
  {
    folder: 'packages/toolquake/src/workers/roles',
    hasTestBeside: true,
    read: ({ role, summary }) => ({ word: role, summary, inputs: [] }),
  },
  {
    folder: 'packages/toolquake/src/experiments/findings',
    hasTestBeside: true,
    read: ({ name, summary, thresholds }) => ({
      word: name,
      summary,
      inputs: Object.entries(thresholds as Record<string, readonly [value: number, about: string]>).map(([word, [, about]]) => [
        word,
        about,
      ]),
    }),
  },
];

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const isUnitFile = (file: string): boolean => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'index.ts';
const camelCase = (word: string): string => word.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** The statements of a file, comments taken out. */
function statements(path: string): string[] {
  const code = readFileSync(path, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');
  return code
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
}

describe.each(catalogues)('$folder', ({ folder, hasTestBeside, read }) => {
  const path = `${root}/${folder}`;
  const words = readdirSync(path)
    .filter(isUnitFile)
    .map((file) => file.replace(/\.ts$/, ''));

  test('holds units at all', () => {
    expect(words).not.toEqual([]);
  });

  test('index.ts only re-exports, and lists every file', () => {
    const listed = statements(`${path}/index.ts`).map((statement) => {
      expect(statement).toMatch(/^export (type )?(\{[^}]*\}|\*) from '\.\/[a-z0-9-]+\.js'$/);
      return /'\.\/(.*)\.js'$/.exec(statement)?.[1] ?? '';
    });
    expect(new Set(listed)).toEqual(new Set(words));
  });

  test.each(words)('%s is one unit: named like its file, summarised, every input described, tested', async (word) => {
    const exported = (await import(`${path}/${word}.ts`)) as Record<string, Record<string, unknown>>;
    const names = Object.keys(exported);
    expect(names, 'exports exactly one unit').toHaveLength(1);
    expect(names[0], 'the export is named after the file').toMatch(new RegExp(`^${camelCase(word)}(Command)?$`));
    const unit = read(Object.values(exported)[0] ?? {});
    expect(unit.word).toBe(word);
    expect(unit.summary, 'summary is one sentence and ends with a full stop').toMatch(sentence);
    for (const [name, about] of unit.inputs) expect(about, `"${name}" is described in a sentence`).toMatch(sentence);
    if (hasTestBeside) expect(existsSync(`${path}/${word}.test.ts`), `${word}.test.ts stands beside it`).toBe(true);
  });
});
