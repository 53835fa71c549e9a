/** Writes an event stream to a client: whole events in order, one event in slices, and what belongs together in one packet. */
import type { ServerResponse } from 'node:http';
import { EVENT_END, eventPayload } from '@toolquake/sdk/core';
import { endWith } from './http-relay.js';

/** See the module comment. It does not look at the state of the response: its owner does. */
export class EventWriter {
  private readonly response: ServerResponse;
  /** While slices of one event are on their way, nothing may come in between. */
  private queue: (() => void)[] | undefined;
  private whenFree: (() => void)[] = [];
  /** What one chunk of the server led to, sent in one write. */
  private batch: Uint8Array[] | undefined;
  private endsWithBatch = false;

  constructor(response: ServerResponse) {
    this.response = response;
  }

  /** Writes whole events, in their turn. */
  pass(bytes: Uint8Array): void {
    this.inTurn(() => this.write(bytes));
  }

  /** Ends the stream, in its turn. */
  end(): void {
    this.inTurn(() => {
      if (this.batch === undefined) this.response.end();
      else this.endsWithBatch = true;
    });
  }

  /** Opens an event that comes in slices: everything else waits for its end. */
  beginSlices(opening: Uint8Array): void {
    this.queue = [];
    this.write(opening);
  }

  /** One slice of the open event's payload. */
  slice(bytes: Uint8Array): void {
    this.write(eventPayload(bytes));
  }

  /** Closes the event, and lets go of what waited for it. */
  endSlices(): void {
    this.write(EVENT_END);
    const waiting = this.queue ?? [];
    this.queue = undefined;
    for (const write of waiting) write();
    const free = this.whenFree;
    this.whenFree = [];
    for (const callback of free) callback();
  }

  /** Sends everything that `act` writes in as few packets as possible. */
  inOneWrite(act: () => void): void {
    this.batch = [];
    try {
      act();
    } finally {
      this.flush();
      this.batch = undefined;
    }
  }

  /** Sends what was gathered so far. */
  flush(): void {
    const parts = this.batch ?? [];
    if (this.batch !== undefined) this.batch = [];
    if (this.response.destroyed || this.response.writableEnded) return;
    const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    if (this.endsWithBatch) endWith(this.response, bytes);
    else if (bytes.length > 0) this.response.write(bytes);
  }

  /** Calls back when the client takes bytes again; undefined when it does now. */
  get busy(): ((whenFree: () => void) => void) | undefined {
    if (this.queue !== undefined) return (whenFree) => void this.whenFree.push(whenFree);
    return this.response.writableNeedDrain ? (whenFree) => void this.response.once('drain', whenFree) : undefined;
  }

  private write(bytes: Uint8Array): void {
    if (this.batch === undefined) this.response.write(bytes);
    else this.batch.push(bytes);
  }

  private inTurn(act: () => void): void {
    if (this.queue === undefined) act();
    else this.queue.push(act);
  }
}
