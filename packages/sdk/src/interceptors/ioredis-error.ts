/** The class of the errors that an ioredis client fails with, found by the client itself. */
import { backgroundClock } from '../core/surroundings.js';
import { nodeModule } from './redis-connection.js';

/** Makes errors that callers recognise, by class and by name. */
export type ReplyErrorClass = new (message: string) => Error;

type Duplex = { push(bytes: string): void };
type DuplexClass = new (options: { read(): void; write(this: Duplex, chunk: unknown, encoding: string, done: () => void): void }) => Duplex;
type Probe = { call(name: string): Promise<unknown>; disconnect(): void; on(event: string, listener: () => void): void };

/** Nothing is looked up, sent or waited for. */
const PROBE_OPTIONS = {
  lazyConnect: true,
  enableReadyCheck: false,
  enableAutoPipelining: false,
  enableOfflineQueue: true,
  retryStrategy: null,
  monitor: false,
};

/** What is set on a socket, and on this stream has no meaning. */
const SOCKET_SETTINGS = { setNoDelay() {}, setKeepAlive() {}, setTimeout() {} };

/** What we fail with where the class was not found: it reads the same, and is of no class that anybody knows. */
class ReplyError extends Error {
  override get name(): string {
    return 'ReplyError';
  }
}

/** A duplicate of the client is answered with an error, over a stream that leads nowhere. */
export async function replyErrorClass(duplicate: (options: object) => unknown): Promise<ReplyErrorClass> {
  const { Duplex } = nodeModule<{ Duplex: DuplexClass }>('stream');
  class Connector {
    connect(): Promise<Duplex> {
      return Promise.resolve(
        Object.assign(
          new Duplex({
            read() {},
            write(_chunk, _encoding, done) {
              this.push('-ERR none\r\n');
              done();
            },
          }),
          SOCKET_SETTINGS,
        ),
      );
    }
    check(): boolean {
      return true;
    }
    disconnect(): void {}
  }
  let probe: Probe | undefined;
  let stopTimer = (): void => {};
  try {
    probe = duplicate({ ...PROBE_OPTIONS, Connector }) as Probe;
    probe.on('error', () => {});
    const patience = new Promise<never>(
      (_resolve, reject) => (stopTimer = backgroundClock.schedule(1000, () => reject(new Error('no answer')))),
    );
    await Promise.race([probe.call('PING'), patience]);
    return ReplyError;
  } catch (error) {
    return error instanceof Error && error.name === 'ReplyError' ? (error.constructor as ReplyErrorClass) : ReplyError;
  } finally {
    stopTimer();
    probe?.disconnect();
  }
}
