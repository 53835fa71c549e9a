// The sdk's public surface, one report per entry point in docs/api/: a change of it shows in review as a diff.
// `npm run api:update` rewrites them; `npm run check` fails when they differ.
import '../require-node.mjs';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { root } from '../folders.mjs';

const isUpdate = process.argv.includes('--update');
const folder = join(root, 'docs/api');
const sdk = join(root, 'packages/sdk');

/** Entry points are read from package.json, so a new one cannot be forgotten here. */
const manifest = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'));
const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) => {
  if (typeof target !== 'object') return [];
  return [{ subpath, types: join(sdk, target.types), report: `sdk${subpath.slice(1).replaceAll('/', '-')}` }];
});

const configure = ({ types, report }) =>
  ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(sdk, 'package.json'),
    configObject: {
      projectFolder: sdk,
      mainEntryPointFilePath: types,
      compiler: { tsconfigFilePath: join(sdk, 'tsconfig.json') },
      apiReport: { enabled: true, reportFileName: report, reportFolder: folder, reportTempFolder: join(root, '.cache/api') },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      newlineKind: 'lf',
      messages: {
        // We version the whole package, so release tags would be noise; and what a subpath mentions, the root exports.
        // Warnings would also carry line numbers into the reports, and change them when nothing public changed.
        extractorMessageReporting: { default: { logLevel: 'none' } },
        compilerMessageReporting: { default: { logLevel: 'error' } },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });

mkdirSync(folder, { recursive: true });
const missing = entries.filter((entry) => !existsSync(entry.types));
if (missing.length > 0) {
  console.log(`Not built: ${missing.map((entry) => entry.types).join(', ')}. Run "npm run build" first.`);
  process.exit(1);
}

const configurations = entries.map(configure);
// One compiler for all entry points: each would otherwise parse the same files again.
const compilerState = CompilerState.create(configurations[0], { additionalEntryPoints: entries.slice(1).map((entry) => entry.types) });
const changed = [];
const problems = [];
configurations.forEach((configuration, index) => {
  const { apiReportChanged, errorCount } = Extractor.invoke(configuration, {
    localBuild: isUpdate,
    compilerState,
    messageCallback(message) {
      // Differences are told below in our own words; what the tool itself cannot do is told in its.
      if (message.logLevel === 'error') problems.push(message.formatMessageWithLocation(root));
      message.handled = true;
    },
  });
  if (apiReportChanged) changed.push(`docs/api/${entries[index].report}.api.md`);
  if (errorCount > 0 && problems.length === 0) problems.push(`api-extractor failed on "${entries[index].subpath}"`);
});

const known = new Set(entries.map((entry) => `${entry.report}.api.md`));
for (const file of readdirSync(folder)) {
  if (known.has(file)) continue;
  if (isUpdate) rmSync(join(folder, file));
  else changed.push(`docs/api/${file} (no such entry point any more)`);
}

if (problems.length > 0) console.log(problems.join('\n'));
else if (isUpdate) console.log(`${entries.length} reports in docs/api/, ${changed.length} rewritten.`);
else if (changed.length > 0)
  console.log(`The sdk's public API changed:\n  ${changed.join('\n  ')}\nIf that is meant, run "npm run api:update" and commit the diff.`);
else console.log(`${entries.length} entry points`);
process.exitCode = problems.length > 0 || (!isUpdate && changed.length > 0) ? 1 : 0;
