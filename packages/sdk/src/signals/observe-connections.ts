/**
 * Looks at what comes and goes between a server of either SDK generation and its transports. Nothing is changed, and
 * nothing of ours is ever thrown into the server: a mistake is counted, and the message goes its way.
 */
import type { Cancel } from '../core/clock.js';
import { isObject } from '../core/message.js';
import { patchProperty } from '../core/patch-property.js';
import type { Network } from './operation.js';

/** An `McpServer` or `Server` of either generation. */
export type ObservableServer = { connect: unknown };

/** Who is told what happens on one connection. */
export type ConnectionObserver = {
  received(message: unknown, extra: unknown): void;
  /** The message is on its way to the client; `isSent` settles when it has left. */
  sent(message: unknown, isSent: Promise<unknown>): void;
  closed(): void;
};

/** What is known of a connection before its first message. */
export type ConnectionFacts = {
  readonly network: Network | undefined;
  /** The session that the transport keeps, once there is one. */
  sessionId(): string | undefined;
};

type Callback = ((...given: unknown[]) => unknown) | undefined;
type Transport = { onmessage?: Callback; onclose?: Callback; send: (...given: unknown[]) => unknown };

/** Observes every connection that a server makes from now on. Returns its undo. */
export function observeConnections(
  server: ObservableServer,
  open: (facts: ConnectionFacts) => ConnectionObserver,
  problem: (error: unknown) => void,
): Cancel {
  const plain = server.connect as (...given: unknown[]) => unknown;
  const undos = new Set<Cancel>();

  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      problem(error);
    }
  };

  const watch = (transport: Transport): void => {
    const observer = open({
      network: networkOf(transport),
      sessionId() {
        const id: unknown = Reflect.get(transport, 'sessionId');
        return typeof id === 'string' ? id : undefined;
      },
    });
    let isOn = true;
    // Both generations call what they find here before their own: nothing of theirs has to be replaced.
    const { onmessage, onclose } = transport;
    transport.onmessage = (...given) => {
      if (isOn) attempt(() => observer.received(given[0], given[1]));
      return onmessage?.(...given);
    };
    transport.onclose = (...given) => {
      leave();
      return onclose?.(...given);
    };
    const send = transport.send;
    const unpatch = patchProperty(transport, 'send', function (this: unknown, ...given: unknown[]): unknown {
      const sending = Reflect.apply(send, this, given);
      if (isOn) attempt(() => observer.sent(given[0], Promise.resolve(sending)));
      return sending;
    });
    const leave = (): void => {
      if (!isOn) return;
      isOn = false;
      undos.delete(leave);
      unpatch();
      attempt(observer.closed);
    };
    undos.add(leave);
  };

  const unpatch = patchProperty(server as { connect: (...given: unknown[]) => unknown }, 'connect', function (this: unknown, ...given) {
    // What is no transport fails in the server's own words.
    if (isObject(given[0]) && typeof given[0]['send'] === 'function') attempt(() => watch(given[0] as Transport));
    return Reflect.apply(plain, this, given);
  });
  return () => {
    unpatch();
    for (const undo of undos) undo();
  };
}

/** What the class of a transport says of what is below it; undefined for those in memory and of others. */
function networkOf(transport: object): Network | undefined {
  const name = transport.constructor?.name ?? '';
  if (/stdio/i.test(name)) return 'pipe';
  if (/http|sse/i.test(name)) return 'tcp';
  return undefined;
}
