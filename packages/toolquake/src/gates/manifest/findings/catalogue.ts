/** Every finding of a manifest diff: id, level, what it says and what to do. Reports and docs/manifest-changes.md are made from it. */
import { ANNOTATION_FINDINGS } from './annotations.js';
import { LISTED_FINDINGS } from './listed.js';
import type { FindingRow } from './row.js';
import { SCHEMA_CHANGES, type SchemaChangeKind } from './schema-changes.js';
import { SERVER_FINDINGS } from './server.js';
import { TOOL_FINDINGS } from './tools.js';

const WRITTEN = { ...SERVER_FINDINGS, ...TOOL_FINDINGS, ...ANNOTATION_FINDINGS, ...LISTED_FINDINGS } as const;

/** The id of a finding: `scope.change`. Stable: waivers and dashboards hold them. */
export type FindingId = keyof typeof WRITTEN | `${'input' | 'output'}.${SchemaChangeKind}`;

const fromSchemas = (['input', 'output'] as const).flatMap((scope) =>
  Object.entries(SCHEMA_CHANGES).map(([kind, change]): readonly [string, FindingRow] => {
    const { onInput, onOutput }: { onInput?: string; onOutput?: string } = change;
    const advice = scope === 'input' ? onInput : onOutput;
    return [`${scope}.${kind}`, { levels: [change[scope]], says: change.says, ...(advice === undefined ? {} : { advice }) }];
  }),
);

/** The table, by id. */
export const FINDINGS: ReadonlyMap<string, FindingRow> = new Map<string, FindingRow>([...Object.entries(WRITTEN), ...fromSchemas]);
