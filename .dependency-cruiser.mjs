// Which folder may import which (design section 3). The table is the truth; the rules are made from it.

/** From the top down. A folder may import its own layer and everything below it. */
export const layers = [
  { name: 'faces', folders: ['cli', 'mcp-server', 'http-api', 'assertions', 'testing', 'compat'] },
  { name: 'operations', folders: ['operations'] },
  {
    name: 'edges',
    folders: [
      'config',
      'proxies',
      'interceptors',
      'targets',
      'sick-servers',
      'actions',
      'undo',
      'workers',
      'managers',
      'network',
      'store',
      'controller',
    ],
  },
  { name: 'engines', folders: ['simulator', 'recordings', 'experiments', 'gates', 'monitor'] },
  { name: 'units', folders: ['faults', 'probes', 'reporters', 'verdicts', 'resilience', 'signals'] },
  { name: 'core', folders: ['core'] },
];

const RIGHT_WAY = `Imports point down: ${layers.map((layer) => layer.name).join(' -> ')}.`;
// What only tests import counts as a test: it is not published either.
const TESTS = '(\\.test\\.ts$|/fixtures/)';
const below = (folders) => `^packages/[^/]+/src/(${folders.join('|')})/`;

const pointDown = layers.slice(1).map((layer, index) => ({
  name: `${layer.name}-import-down`,
  severity: 'error',
  comment: `${RIGHT_WAY} ${layer.name} (${layer.folders.join(', ')}) may not import a layer above: hand the value in as a parameter or port instead.`,
  from: { path: below(layer.folders), pathNot: TESTS },
  to: { path: below(layers.slice(0, index + 1).flatMap((higher) => higher.folders)) },
}));

const pure = layers.filter((layer) => layer.name === 'units' || layer.name === 'core').flatMap((layer) => layer.folders);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...pointDown,
    {
      name: 'pure-layers-do-no-io',
      severity: 'error',
      comment: `${RIGHT_WAY} core and units do no I/O: no Node built-ins there. Return an effect, or let an edge do it and hand in the result.`,
      from: { path: below(pure), pathNot: TESTS },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'one-http-codec',
      severity: 'error',
      comment:
        'Only http-codec.ts (types) and http-codec-node*.ts know node:http, so that a faster codec can take its place: ask the codec.',
      from: { path: '^packages/toolquake/src/proxies/http-', pathNot: [TESTS, '/http-codec[a-z-]*\\.ts$'] },
      to: { path: '^(node:)?https?$' },
    },
    {
      name: 'every-folder-has-a-layer',
      severity: 'error',
      comment: `${RIGHT_WAY} This folder is in no layer: add it to the table in .dependency-cruiser.mjs (and to docs/decisions/).`,
      from: { path: '^packages/[^/]+/src/[^/]+/', pathNot: below(layers.flatMap((layer) => layer.folders)) },
      to: {},
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that import each other are one file, or hide a third: move what both need down into it.',
      from: { path: '^packages/' },
      to: { circular: true },
    },
    {
      name: 'sdk-imports-nobody',
      severity: 'error',
      comment: 'Packages point one way: dashboard -> toolquake -> sdk. The sdk knows nothing of what is built on it.',
      from: { path: '^packages/sdk/' },
      to: { path: '^packages/(?!sdk/)' },
    },
    {
      name: 'sdk-by-its-name',
      severity: 'error',
      comment: 'Packages point one way: toolquake -> sdk, and only by name ("@toolquake/sdk", "@toolquake/sdk/faults"), as any user would.',
      from: { path: '^packages/toolquake/' },
      to: { path: '^packages/sdk/src/' },
    },
    {
      name: 'sdk-has-no-dependencies',
      severity: 'error',
      comment: "The sdk lives in other people's processes and brings nothing with it (src/testing may use vitest, an optional peer).",
      from: { path: '^packages/sdk/src/', pathNot: [TESTS, '^packages/sdk/src/testing/'] },
      to: { dependencyTypes: ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      comment: 'The import leads nowhere, so no rule can judge it. Is the path right, the package listed, the sdk built ("npm run build")?',
      from: { path: '^packages/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'no-tests-in-the-product',
      severity: 'error',
      comment: 'Tests import the product, never the other way round.',
      from: { path: '^packages/', pathNot: TESTS },
      to: { path: TESTS },
    },
  ],
  options: {
    // Type-only imports count: a layer that knows a higher layer's types already depends on it.
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
};
