/** The JSON Schema of experiment files, for editors: the table of keys, and one form of a step for each action. */
import type { Action } from '../actions/action.js';
import { EXPERIMENT_FIELDS } from './experiment-fields.js';
import { settingsSchema } from './field.js';
import type { ActionCatalogue } from './load-experiment.js';
import type { JsonSchema } from './plan-schema.js';

/** The whole schema, for the actions of a catalogue. */
export function experimentSchema(actions: ActionCatalogue): JsonSchema {
  const schema = settingsSchema(EXPERIMENT_FIELDS);
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>>;
  const steps = properties['actions']!;
  const step = steps['items'] as JsonSchema;
  const forms = Object.values(actions)
    .sort((a, b) => (a.type < b.type ? -1 : 1))
    .map((action) => stepSchema(step, action));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'An experiment of Toolquake',
    ...schema,
    properties: { ...properties, actions: { ...steps, minItems: 1, items: { oneOf: forms } } },
  };
}

function stepSchema(step: JsonSchema, { type, summary, params }: Action): JsonSchema {
  const needsParams = Object.values(params).some(({ isRequired }) => isRequired === true);
  return {
    ...step,
    description: summary,
    properties: {
      ...(step['properties'] as JsonSchema),
      action: { const: type, description: summary },
      params: { description: 'Its parameters.', ...settingsSchema(params) },
    },
    required: [...(step['required'] as readonly string[]), ...(needsParams ? ['params'] : [])],
  };
}
