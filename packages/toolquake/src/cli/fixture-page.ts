/** `toolquake fixture`: a server that is sick on purpose. */
import { once } from 'node:events';
import { suggest, ToolquakeError } from '@toolquake/sdk/core';
import { FAILURE_REASONS, isFailureReason } from '../core/failure-reason.js';
import { openResult } from '../operations/result-file.js';
import { startSickServer } from '../operations/sick-server.js';
import { ailmentsOnStdio, startableReasons } from '../sick-servers/catalogue.js';
import { EXIT, textOf, type CommandArguments, type CommandIo } from './command.js';
import { renderTable } from './terminal.js';

/** Lists what can be started, or starts it until Ctrl-C. */
export async function fixture({ options, words }: CommandArguments, io: CommandIo): Promise<number> {
  const isJson = options['json'] === true;
  const result = openResult(textOf(options['out']), io.stdout);
  if (options['list'] === true) {
    const rows = startableReasons.map((reason) => {
      const { group, about } = FAILURE_REASONS[reason];
      return { reason, group, transport: reason in ailmentsOnStdio ? 'stdio' : 'http', about };
    });
    const cells = rows.map(({ reason, group, transport, about }) => [reason, group, transport, about]);
    result.write(isJson ? `${JSON.stringify(rows, null, 2)}\n` : renderTable(cells, { width: io.stdout.columns ?? 120 }));
    return EXIT.pass;
  }
  const [word = ''] = words;
  const onStdio = isFailureReason(word) ? ailmentsOnStdio[word] : undefined;
  if (onStdio !== undefined) {
    await onStdio();
    return Number(process.exitCode ?? EXIT.pass);
  }
  const running = isFailureReason(word) ? await startSickServer(word) : undefined;
  if (running === undefined) {
    const message = isFailureReason(word)
      ? `No server produces "${word}": it comes from the side of the prober, or from comparing with something else.`
      : `There is no reason "${word}".`;
    throw new ToolquakeError('BAD_ARGUMENT', {
      message,
      advice: `${isFailureReason(word) ? '' : suggest(word, startableReasons)} "toolquake fixture --list" shows all.`.trim(),
    });
  }
  const { url, settings, variables } = running;
  result.write(isJson ? `${JSON.stringify({ reason: word, url, variables })}\n` : settings);
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value} `);
  io.stderr.write(
    `toolquake: ${url} shows ${word} until Ctrl-C. Save the text above, or use --out, then:\n  ${given.join('')}toolquake probe --config FILE\n`,
  );
  if (!io.signal.aborted) await once(io.signal, 'abort');
  await running.stop();
  return EXIT.interrupted;
}
