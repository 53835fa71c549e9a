/** What the next start does first: sweeps, and says what it did. */
import { sweep } from '../../../../packages/toolquake/src/undo/leftovers.js';
import * as kinds from './kinds.js';

process.stdout.write(`${JSON.stringify(await sweep(process.env, { kinds }))}\n`);
