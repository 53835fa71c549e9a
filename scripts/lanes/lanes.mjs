// The lanes of `npm test`, in the order they run. Cheap and telling first: a broken unit test should not wait for a browser.
// vitest.config.ts reads its projects from the same table, so a test file cannot fall between two lists.
import { filesBelow } from '../folders.mjs';

const minutes = (n) => n * 60_000;

/** What experiments break for real: programs, connections, processes. They wait more than they work. */
const EXPERIMENTS = ['test/experiments', 'test/system/experiments', 'test/system/network', 'test/system/process'];

/** Which test files belong to a vitest project: everything below `folders`, minus `except`. */
export const projects = {
  // Seconds alone; on a machine with other work the budget of the lane is the limit that counts.
  unit: { folders: ['packages', 'test/architecture'], except: [], testTimeoutMs: 40_000 },
  live: { folders: ['test'], except: ['test/architecture', 'test/system', 'test/proof', ...EXPERIMENTS], testTimeoutMs: 120_000 },
  proof: { folders: ['test/proof'], except: [], testTimeoutMs: 300_000 },
  system: { folders: ['test/system'], except: EXPERIMENTS, testTimeoutMs: 120_000 },
  experiments: { folders: EXPERIMENTS, except: [], testTimeoutMs: 180_000 },
};

/** Newer Nodes that the unit lane also runs on; the floor is whatever Node runs this script. */
const otherNodes = [
  { major: 22, version: '22.23.3' },
  { major: 24, version: '24.21.0' },
  { major: 26, version: '26.10.0' },
];

/**
 * Budgets are limits, not estimates: a lane that exceeds its own is killed and has failed.
 * Together they stay below the 45 minutes that `.ci/run` may ever take (test/architecture/lanes.test.ts adds them up).
 */
export const lanes = [
  { name: 'unit', kind: 'vitest', project: 'unit', budgetMs: minutes(2) },
  ...otherNodes.map((node) => ({ name: `unit-node${node.major}`, kind: 'vitest', project: 'unit', node, budgetMs: minutes(2) })),
  { name: 'live', kind: 'vitest', project: 'live', budgetMs: minutes(13) },
  {
    name: 'proof',
    kind: 'vitest',
    project: 'proof',
    ownFolders: ['test/servers/real', 'test/servers/conformance'],
    // The conformance suite does not start on our floor, so its tests start it on a Node that they are told about.
    nodeForTests: otherNodes.find((node) => node.major === 22),
    budgetMs: minutes(5),
  },
  { name: 'examples', kind: 'examples', needsSystemPackages: true, budgetMs: minutes(2) },
  { name: 'system', kind: 'vitest', project: 'system', needsSystemPackages: true, budgetMs: minutes(5) },
  { name: 'experiments', kind: 'vitest', project: 'experiments', needsSystemPackages: true, budgetMs: minutes(7) },
];

/** The folders that a lane runs what is in. */
export const foldersOf = (lane) => (lane.kind === 'examples' ? ['examples'] : projects[lane.project].folders);

/** The test files of a project, as they are on disk now. */
export function testFiles(project) {
  const { folders, except } = projects[project];
  return folders
    .flatMap((folder) => filesBelow(folder))
    .filter((file) => file.endsWith('.test.ts') && !except.some((folder) => file.startsWith(`${folder}/`)));
}
