import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand } from '../command.js';

/** Another plan for a running proxy. */
export const reload = defineCommand({
  name: 'reload',
  summary: 'Gives a running proxy another plan without dropping a connection; a broken plan leaves the old one.',
  positionals: [{ name: 'PLAN', about: 'Fault plan (YAML or JSON).' }],
  options: ADMIN_OPTIONS,
  examples: ['toolquake reload plan.yaml --url http://127.0.0.1:9901'],
  handle: async (given, io) => {
    const { readPlanFile } = await import('../../config/plan-file.js');
    const path = given.positionals['PLAN'] ?? '';
    const body = await readPlanFile(path);
    return askProxy(given, io, { route: 'POST /chaos/plan', body }, ({ rules }) => `${path} is at work: ${String(rules)} rules`);
  },
});
