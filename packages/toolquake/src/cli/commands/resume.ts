import { ToolquakeError } from '@toolquake/sdk/core';
import { defineCommand, EXIT, textOf } from '../command.js';

/** Ends a halt. */
export const resume = defineCommand({
  name: 'resume',
  summary: 'Lets experiments start again after "stop --all". A person decides this: it asks on the terminal.',
  options: [
    { flag: '--code', kind: 'text', value: 'CODE', about: 'The code that "stop --all" showed on the terminal: then nothing is asked.' },
  ],
  examples: ['toolquake resume', 'toolquake resume --code 3f9a1c07de'],
  async handle({ options }, io) {
    const { clearHalt, isCodeOf, readHalt } = await import('../../undo/halt.js');
    const halt = readHalt(io.env);
    if (halt === undefined) {
      io.stdout.write('This host is not halted.\n');
      return EXIT.pass;
    }
    const code = textOf(options['code']);
    if (code !== undefined && !isCodeOf(halt, code)) {
      throw new ToolquakeError('NOT_ALLOWED', {
        message: 'This is not the code of the halt. This host stays halted.',
        advice: 'Run "toolquake resume" in a terminal.',
      });
    }
    if (code === undefined) {
      const [{ randomBytes }, { isTypedOnTerminal }] = await Promise.all([import('node:crypto'), import('../ask-terminal.js')]);
      const question = `This host is halted since ${halt.at}: ${halt.why}. Experiments will be able to break things again.`;
      if (!(await isTypedOnTerminal(question, `resume ${randomBytes(3).toString('hex')}`, io.signal))) {
        throw new ToolquakeError('NOT_ALLOWED', { message: 'That is not what was asked for. This host stays halted.' });
      }
    }
    clearHalt(io.env);
    io.stdout.write('Experiments may start again.\n');
    return EXIT.pass;
  },
});
