/** A server whose manifest cannot be locked failed its gate: the reason is the result. */
import { ManifestRefusal } from '../operations/take-manifest.js';
import { EXIT, type CommandIo } from './command.js';

/** Runs work; a refusal of a manifest is told, and fails. */
export async function tellRefusal(io: Pick<CommandIo, 'stderr'>, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ManifestRefusal)) throw error;
    io.stderr.write(`${error.message}\n${error.advice}\n`);
    return EXIT.failed;
  }
}
