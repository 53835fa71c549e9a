import { defineMatcher } from '../matcher.js';
import { shown } from '../shown.js';

/** A call that must fail, and how. */
export const error = defineMatcher({
  word: 'error',
  field: {
    kind: 'group',
    about: 'The answer is an error: of the tool (isError), or of the protocol where a code is given.',
    fields: {
      code: {
        kind: 'whole',
        min: -99_999,
        max: 99_999,
        about: 'The code: of the protocol (-32602), or "code" in the data of a tool error.',
      },
      contains: { kind: 'text', about: 'A part of its message.' },
    },
  },
  example: '{ code: -32602, contains: unknown order }',
  isStable: () => true,
  judge({ code, contains }, { result, rpcError, data, text }) {
    if (rpcError === undefined && result['isError'] !== true) return [{ says: 'the answer is no error, and one is expected' }];
    const found = rpcError?.code ?? (typeof data === 'object' && data !== null && 'code' in data ? data.code : undefined);
    const message = rpcError?.message ?? text;
    return [
      ...(code !== undefined && found !== code ? [{ says: `the code of the error is ${shown(found)}, ${code} expected` }] : []),
      ...(contains !== undefined && !message.includes(contains)
        ? [{ says: `the error says ${shown(message)}, which does not contain ${shown(contains)}` }]
        : []),
    ];
  },
});
