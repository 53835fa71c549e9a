/** The JSON Schema of toolquake.yaml, for editors. Derived from the table that checks it. */
import { settingsSchema } from './field.js';
import type { JsonSchema } from './plan-schema.js';
import { PROJECT_FIELDS } from './project-fields.js';

/** The whole schema. */
export function projectSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'toolquake.yaml: targets of Toolquake',
    ...settingsSchema(PROJECT_FIELDS),
  };
}
