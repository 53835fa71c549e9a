import type { JsonObject } from '@toolquake/sdk/core';
import { defineUndo } from '../../core/undo-step.js';
import { chainLeftovers, chainRemoval, readChainCommands, readChainTables } from '../../network/chain-removal.js';
import { readChainName } from '../../network/chain-name.js';
import type { NamespaceFacts } from '../../network/namespace.js';
import { mustRun, runTrusted, type TrustedCommand } from '../../network/trusted-command.js';
import { undoWithin, verifyWithin } from '../../network/undo-proof.js';

/** A chain with a name of ours and the jumps into it. A rule of somebody else that says the same as ours stays: it is in no chain of ours. */
export const iptablesChain = defineUndo({
  kind: 'iptables-chain',
  summary: 'Deletes a chain of iptables that the run made, and the jumps into it.',
  undo: (data, { signal }) =>
    undoWithin(data, async (namespace) => {
      const name = readChainName(data['name']);
      for (const place of placesOf(data)) {
        for (const words of chainRemoval(await listing(place, namespace, signal), name)) {
          // Somebody else may take it away at the same time; whether it is gone is read afterwards.
          await runTrusted({ command: place.command, args: ['-w', '3', '-t', place.table, ...words], namespace, signal });
        }
      }
    }),
  verify: async (data, world) => {
    const name = readChainName(data['name']);
    const places = placesOf(data);
    return verifyWithin(data, world, {
      gone: `no chain ${name}, and no jump into it`,
      left: async (namespace) => {
        for (const place of places) {
          const left = chainLeftovers(await listing(place, namespace, world.signal), name);
          if (left.length > 0) return `${place.command} -t ${place.table} still has: ${left.join(', ')}.`;
        }
        return undefined;
      },
    });
  },
});

type Place = { readonly command: TrustedCommand; readonly table: string };

const placesOf = (data: JsonObject): readonly Place[] =>
  readChainCommands(data['commands']).flatMap((command) => readChainTables(data['tables']).map((table) => ({ command, table })));

const listing = ({ command, table }: Place, namespace: NamespaceFacts | undefined, signal: AbortSignal): Promise<string> =>
  mustRun({ command, args: ['-w', '3', '-t', table, '-S'], namespace, signal });
