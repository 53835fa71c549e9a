/** The keys of a fixture file. */
import type { SettingFields } from '../core/setting-field.js';
import { CALL_FIELDS } from './expectation.js';

const text = (about: string): SettingFields[string] => ({ kind: 'text', about });

const fixture: SettingFields = {
  name: text('How reports call it; what it asks, unless told otherwise.'),
  tool: text('The tool to call. Either this, "prompt" or "resource".'),
  prompt: text('The prompt to get.'),
  resource: text('The URI of the resource to read.'),
  ...CALL_FIELDS,
  owner: text('Who knows whether an answer is right.'),
  recorded: {
    kind: 'group',
    about: 'What was recorded; written by "golden record".',
    fields: {
      server: text('Name and version of the server.'),
      at: text('When.'),
      runs: { kind: 'whole', min: 1, max: 100, about: 'How often it was called.' },
    },
  },
};

/** The whole file. */
export const FIXTURE_FIELDS: SettingFields = {
  version: { kind: 'whole', min: 1, max: 1, about: 'The version of this format: 1.' },
  fixtures: {
    kind: 'list',
    isRequired: true,
    item: { kind: 'group', fields: fixture, about: 'A fixture.' },
    about: 'Known requests with known answers.',
  },
};
