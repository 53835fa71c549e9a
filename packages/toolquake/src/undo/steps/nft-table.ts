import { defineUndo } from '../../core/undo-step.js';
import { readChainName } from '../../network/chain-name.js';
import { mustRun, runTrusted } from '../../network/trusted-command.js';
import { undoWithin, verifyWithin } from '../../network/undo-proof.js';

/** A table of nftables with a name of ours. All that we added is in it, so that nothing of anybody else can go with it. */
export const nftTable = defineUndo({
  kind: 'nft-table',
  summary: 'Deletes a table of nftables that the run made.',
  undo: (data, { signal }) =>
    undoWithin(data, async (namespace) => {
      const args = ['delete', 'table', 'inet', readChainName(data['name'])];
      const { code, stderr } = await runTrusted({ command: 'nft', args, namespace, signal });
      // Somebody else was quicker.
      if (code !== 0 && !stderr.includes('No such file or directory')) throw new Error(`nft ${args.join(' ')}: ${stderr.trim()}`);
    }),
  verify: async (data, world) => {
    const name = readChainName(data['name']);
    return verifyWithin(data, world, {
      gone: `nft lists no table ${name}`,
      left: async (namespace) => {
        const tables = await mustRun({ command: 'nft', args: ['list', 'tables'], namespace, signal: world.signal });
        return tables.split(/\s+/).includes(name) ? `nft still lists the table ${name}.` : undefined;
      },
    });
  },
});
