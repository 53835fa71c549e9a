/** Writes an event stream to a client: whole events in order, one event in slices, and what belongs together in one packet. */
import { EVENT_END, eventPayload } from '@toolquake/sdk/core';
import type { HttpResponse } from './http-codec.js';
import { endWith } from './http-relay.js';

/** See the module comment. It does not look at the state of the response: its owner does. */
export class EventWriter {
  private readonly response: HttpResponse;
  /** The message whose slices are on their way: nothing may come in between. */
  private slicing: object | undefined;
  private queue: { readonly of: object | undefined; readonly act: () => void; readonly isLast: boolean }[] = [];
  private whenFree: (() => void)[] = [];
  /** What one chunk of the server led to, sent in one write. */
  private batch: Uint8Array[] | undefined;
  private endsWithBatch = false;

  constructor(response: HttpResponse) {
    this.response = response;
  }

  /** Writes whole events, in their turn. */
  pass(bytes: Uint8Array): void {
    this.inTurn(undefined, () => this.write(bytes), true);
  }

  /** Ends the stream, in its turn. */
  end(): void {
    const end = (): void => {
      if (this.batch === undefined) this.response.end();
      else this.endsWithBatch = true;
    };
    this.inTurn(undefined, end, true);
  }

  /** Opens the event of a message that comes in slices: everything else waits for its end, another one in slices too. */
  beginSlices(of: object, opening: Uint8Array): void {
    this.inTurn(of, () => this.write(opening), false);
  }

  /** One slice of the message. */
  slice(of: object, bytes: Uint8Array): void {
    this.inTurn(of, () => this.write(eventPayload(bytes)), false);
  }

  /** Closes the event, and lets go of what waited for it. */
  endSlices(of: object): void {
    this.inTurn(of, () => this.write(EVENT_END), true);
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
    if (this.slicing !== undefined) return (whenFree) => void this.whenFree.push(whenFree);
    return this.response.writableNeedDrain ? (whenFree) => void this.response.once('drain', whenFree) : undefined;
  }

  private write(bytes: Uint8Array): void {
    if (this.batch === undefined) this.response.write(bytes);
    else this.batch.push(bytes);
  }

  /** Acts at once, or when the message that is being sliced is over; `of` is the message that the act is a part of. */
  private inTurn(of: object | undefined, act: () => void, isLast: boolean): void {
    if (this.slicing !== undefined && this.slicing !== of) {
      this.queue.push({ of, act, isLast });
      return;
    }
    const wasSlicing = this.slicing !== undefined;
    this.slicing = isLast ? undefined : of;
    act();
    if (isLast && wasSlicing) this.goOn();
  }

  /** Lets what waited have its turn, up to the next message in slices and with all that is there of it. */
  private goOn(): void {
    const waiting = this.queue;
    this.queue = [];
    for (const { of, act, isLast } of waiting) this.inTurn(of, act, isLast);
    if (this.slicing !== undefined) return;
    const free = this.whenFree;
    this.whenFree = [];
    for (const callback of free) callback();
  }
}
