/** The JSON Schema of topologies and scenarios, for editors. Derived from the tables that check them. */
import { FIGURES } from '../simulator/figures-of-run.js';
import { AGENT_FIELDS, GATEWAY_FIELDS, REGISTRY_FIELDS, SERVER_FIELDS, type Field, type Fields } from '../simulator/topology-fields.js';
import { planSchema, type JsonSchema } from './plan-schema.js';
import type { Catalogue } from '@toolquake/sdk/core';

const TIME: JsonSchema = {
  anyOf: [
    { type: 'number', minimum: 0 },
    { type: 'string', pattern: '^\\d{1,12}(\\.\\d{1,6})? ?(ms|s|m|h)$' },
  ],
};
const NAMES: JsonSchema = {
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 } },
  ],
};
const SCALAR: JsonSchema = { type: ['number', 'string', 'boolean'] };
const closed = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
});
const described = (schema: JsonSchema, description: string): JsonSchema => ({ description, ...schema });

function fieldSchema(field: Field): JsonSchema {
  const base = 'default' in field && field.default !== undefined ? { default: field.default } : {};
  switch (field.kind) {
    case 'whole': {
      const whole = { type: 'integer', minimum: field.min, maximum: field.max };
      return { ...base, ...(field.mayBeUnbounded === true ? { anyOf: [whole, { const: 'unbounded' }] } : whole) };
    }
    case 'number':
      return { ...base, type: 'number', minimum: field.min, maximum: field.max };
    case 'time':
      return { ...base, ...TIME };
    case 'flag':
      return { ...base, type: 'boolean' };
    case 'text':
      return { ...base, type: 'string' };
    case 'word':
      return { ...base, enum: field.words };
    case 'names':
      return { ...base, ...NAMES };
    case 'spread':
      return {
        anyOf: [
          ...(TIME['anyOf'] as readonly JsonSchema[]),
          closed({ fixed: TIME }, ['fixed']),
          closed({ exponential: TIME }, ['exponential']),
          closed({ median: TIME, p99: TIME }, ['median', 'p99']),
          closed({ uniform: { type: 'array', items: TIME, minItems: 2, maxItems: 2 } }, ['uniform']),
        ],
      };
    case 'steps':
      return { type: 'array', minItems: 1, items: NAMES };
    case 'group':
      return tableSchema(field.fields);
  }
}

function tableSchema(table: Fields): JsonSchema {
  const required = Object.keys(table).filter((name) => {
    const field = table[name]!;
    return 'isRequired' in field && field.isRequired === true;
  });
  const properties = Object.entries(table).map(([name, field]) => [name, described(fieldSchema(field), field.about)]);
  return closed(Object.fromEntries(properties) as Readonly<Record<string, JsonSchema>>, required);
}

/** The whole schema. */
export function topologySchema(catalogue: Catalogue): JsonSchema {
  const named = (table: Fields): JsonSchema => ({
    type: 'object',
    minProperties: 1,
    propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' },
    additionalProperties: tableSchema(table),
  });
  const registry = tableSchema(REGISTRY_FIELDS);
  const move = closed({ tool: { type: 'string' }, to: { type: 'string' }, at: TIME }, ['tool', 'to']);
  const change = closed(
    { at: TIME, until: TIME, set: { type: 'string' }, to: { type: ['number', 'boolean'] }, replicas: { type: 'integer', minimum: 1 } },
    ['at', 'set', 'to'],
  );
  const bounds = closed({ max: { type: 'number' }, min: { type: 'number' } });
  const figures = Object.keys(FIGURES);
  const variant = closed(
    {
      name: { type: 'string' },
      set: { type: 'object' },
      gates: { type: 'object', propertyNames: { enum: figures }, additionalProperties: bounds },
      holds: { type: 'boolean', default: true },
    },
    ['name'],
  );
  // The plan brings its own address, which means nothing inside another schema.
  const { $schema: _, $id: __, ...plan } = planSchema(catalogue);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Toolquake topology or scenario',
    ...closed(
      {
        version: { const: 1 },
        scenario: described({ type: 'string' }, 'Its name, in journals and reports.'),
        title: described({ type: 'string' }, 'One line.'),
        about: described({ type: 'string' }, 'What it shows.'),
        seed: described({ type: 'integer' }, 'The first seed.'),
        seeds: described({ type: 'integer', minimum: 1 }, 'How many seeds are run.'),
        lasts: described(TIME, 'How long tasks arrive.'),
        window: described(TIME, 'Length of the windows that are counted in; one second by default.'),
        servers: described(named(SERVER_FIELDS), 'Servers by name.'),
        gateway: described(tableSchema(GATEWAY_FIELDS), 'Between agents and servers.'),
        registry: described(
          { ...registry, properties: { ...(registry['properties'] as object), moves: { type: 'array', items: move } } },
          'Who knows where the tools are.',
        ),
        agents: described(named(AGENT_FIELDS), 'Agents by name.'),
        plan: described(plan, 'Faults on the wires between agents and servers.'),
        timeline: described({ type: 'array', items: change }, 'What changes when.'),
        levels: described(
          closed(
            {
              set: { type: 'string' },
              values: { type: 'array', items: { type: 'number' }, minItems: 2 },
              each: TIME,
              replicas: { type: 'integer', minimum: 1 },
            },
            ['set', 'values', 'each'],
          ),
          'A walk through values of one key and back, within one run.',
        ),
        variants: described({ type: 'array', minItems: 1, items: variant }, 'Ways of running it, side by side.'),
        sweep: described(
          { type: 'object', additionalProperties: { type: 'array', minItems: 1, items: SCALAR } },
          'Keys and the values that they take.',
        ),
        show: described(
          { anyOf: [{ enum: figures }, { type: 'array', items: { enum: figures } }] },
          'Figures that the table shows besides the usual ones.',
        ),
      },
      ['servers', 'agents'],
    ),
  };
}
