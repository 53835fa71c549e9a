/** The payloads of an event stream, bounded. */
import { createEventFramer, eventData, type JsonObject } from '@toolquake/sdk/core';
import { TargetFailure, type Stage } from '../core/connection.js';
import { parseMessages } from './rpc-message.js';

/** Cuts chunks into messages. `named` hears of events that have a name of their own (`endpoint`). */
export function createEventReader(
  { step, maxBytes, maxDepth }: { readonly step: Stage; readonly maxBytes: number; readonly maxDepth: number },
  onMessage: (message: JsonObject) => void,
  onNamed: (name: string, data: string) => void = () => {},
): { push(chunk: Uint8Array): void } {
  const framer = createEventFramer(maxBytes);
  return {
    push(chunk) {
      for (const { bytes, part } of framer.push(chunk)) {
        if (part !== 'whole') {
          throw new TargetFailure({ reason: 'answer_too_large', step, detail: `an event is larger than ${maxBytes} bytes` });
        }
        const data = eventData(bytes);
        if (data === undefined) continue;
        const name = eventName(bytes);
        if (name === 'message') for (const message of parseMessages(data, step, maxDepth)) onMessage(message);
        else onNamed(name, Buffer.from(data).toString('utf8'));
      }
    },
  };
}

function eventName(block: Uint8Array): string {
  const [, name = 'message'] = /(?:^|[\r\n])event: ?([^\r\n]*)/.exec(Buffer.from(block.subarray(0, 1024)).toString('latin1')) ?? [];
  return name;
}
