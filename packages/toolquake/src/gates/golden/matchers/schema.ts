import { judgeSchema, schemaProblem } from '../keeps-schema.js';
import { defineMatcher } from '../matcher.js';

/** A JSON Schema of our own. */
export const schema = defineMatcher({
  word: 'schema',
  field: { kind: 'value', about: 'A JSON Schema (2020-12) that the data keeps. References stay inside of it; formats are not checked.' },
  example: '{ type: object, required: [total] }',
  isStable: (given) => Object.keys(given).length > 0,
  check(given, path, reader) {
    const problem = schemaProblem(given);
    if (problem !== undefined) reader.report(path, 'WRONG_TYPE', `"schema" is no JSON Schema that can be checked: ${problem}.`);
  },
  judge(given, { data }) {
    const { keeps, why } = judgeSchema(given, data);
    if (keeps === true) return [];
    if (keeps === undefined) return [{ says: 'whether the data keeps the schema cannot be told within bounds', weight: 'undecided' }];
    return [{ says: `the data violates the schema${why === '' ? '' : ` ${why}`}` }];
  },
});
