/** What is wrong with a list of tools, from the list alone. Schemas come from a server: bounded, and nothing in them is followed. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isObject, nameOfTool, type JsonObject } from '@toolquake/sdk/core';
import type { Finding } from '../core/probe-report.js';

const found = (reason: Finding['reason'], detail: string): Finding => ({ reason, step: 'list', detail });
const MAX_NAMED = 10;
const named = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') + (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '');

/** Judges a list against the tools that are expected in it. */
export function judgeTools(tools: readonly JsonObject[], expected: readonly string[]): readonly Finding[] {
  const names = tools.map(nameOfTool);
  const listed = new Set(names);
  const missing = expected.filter((name) => !listed.has(name));
  const twice = [...new Set(names.filter((name, index) => name !== undefined && names.indexOf(name) !== index))] as readonly string[];
  const findings: Finding[] = [];
  if (tools.length === 0)
    findings.push({ ...found('tools_empty', 'the server lists no tools'), ...(expected.length > 0 ? { state: 'down' } : {}) });
  else if (missing.length > 0) findings.push(found('tools_missing', `not listed: ${named(missing)}`));
  if (twice.length > 0) findings.push(found('tools_duplicate', `listed more than once: ${named(twice)}`));
  const faulty = tools.flatMap((tool, index) => {
    const why = schemaProblem(tool);
    return why === undefined ? [] : [`${names[index] ?? `tool ${index + 1}`} (${why})`];
  });
  if (faulty.length > 0) findings.push(found('tool_schema_invalid', named(faulty)));
  return findings;
}

/** Larger schemas are no mistake of ours to find. */
const MAX_NODES = 20_000;
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
let ajv: Ajv2020 | undefined;

/** Why clients have to drop a tool; undefined when they need not. */
export function schemaProblem(tool: JsonObject): string | undefined {
  if (typeof tool['name'] !== 'string' || tool['name'] === '') return 'it has no name';
  const { inputSchema, outputSchema } = tool;
  if (!isObject(inputSchema)) return 'it has no inputSchema';
  if (inputSchema['type'] !== 'object') return 'its inputSchema is not of type object';
  return problemIn('inputSchema', inputSchema) ?? (outputSchema === undefined ? undefined : problemIn('outputSchema', outputSchema));
}

function problemIn(which: string, schema: unknown): string | undefined {
  if (!isObject(schema)) return `its ${which} is no object`;
  const walked = walk(schema);
  if (walked !== undefined) return `its ${which} ${walked}`;
  // The meta-schema is ours; the schema itself is data here, and is never compiled.
  ajv ??= new Ajv2020({ strict: false, validateFormats: false, logger: false });
  const { $schema: _, ...plain } = schema;
  if (ajv.validateSchema(plain) === true) return undefined;
  const [error] = ajv.errors ?? [];
  return `its ${which} is invalid at ${error?.instancePath === undefined || error.instancePath === '' ? 'its root' : error.instancePath}: ${error?.message ?? 'no JSON Schema 2020-12'}`;
}

/** References to the network are never followed, and so make a schema useless; headers must be names that HTTP can carry. */
function walk(root: JsonObject): string | undefined {
  const headers = new Set<string>();
  const waiting: unknown[] = [root];
  for (let nodes = 0; waiting.length > 0; nodes++) {
    if (nodes > MAX_NODES) return `has more than ${MAX_NODES} parts`;
    const node = waiting.pop();
    if (Array.isArray(node)) {
      for (const item of node) waiting.push(item);
      continue;
    }
    if (!isObject(node)) continue;
    for (const key of ['$ref', '$dynamicRef']) {
      const reference = node[key];
      if (typeof reference === 'string' && !reference.startsWith('#')) return 'refers to another document';
    }
    const header = node['x-mcp-header'];
    if (header !== undefined) {
      if (typeof header !== 'string' || !TOKEN.test(header)) return 'has an illegal x-mcp-header';
      if (headers.has(header.toLowerCase())) return 'gives two arguments the same x-mcp-header';
      if (!['string', 'integer', 'boolean'].includes(String(node['type'])))
        return 'has an x-mcp-header on an argument that no header can carry';
      headers.add(header.toLowerCase());
    }
    for (const value of Object.values(node)) if (typeof value === 'object') waiting.push(value);
  }
  return undefined;
}
