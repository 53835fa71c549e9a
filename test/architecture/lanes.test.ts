import { expect, test } from 'vitest';
import { filesBelow } from '../../scripts/folders.mjs';
import { lanes, projects, testFiles } from '../../scripts/lanes/lanes.mjs';

test('all lanes together stay within the 45 minutes of CI, with room for install and checks', () => {
  const minutes = lanes.reduce((sum, lane) => sum + lane.budgetMs, 0) / 60_000;
  expect(minutes).toBeLessThanOrEqual(40);
});

test('every test file is in exactly one project, and every project in a lane', () => {
  const names = Object.keys(projects) as (keyof typeof projects)[];
  const all = filesBelow('.').filter((file) => file.endsWith('.test.ts'));
  const assigned: string[] = names.flatMap((name) => testFiles(name));
  expect(assigned.sort()).toEqual(all);
  expect(names.filter((name) => !lanes.some((lane) => 'project' in lane && lane.project === name))).toEqual([]);
});
