/** Name -> address -> TCP -> TLS, each with its own timer, so that a failure names its stage. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '@toolquake/sdk/core';
import { TargetFailure, within } from '../core/connection.js';
import { isPublicAddress } from './address.js';
import { networkFailure } from './network-failure.js';
import type { StageLog } from './stage-log.js';
import type { Budgets } from './target.js';

/** From a name to its addresses: the resolver of this machine, unless somebody arranges another. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** The resolver of this machine. */
export const systemResolve: Resolve = (host) => lookup(host, { all: true, order: 'verbatim' });

/** What a dial needs to know. */
export type Dial = {
  readonly url: URL;
  readonly budgets: Budgets;
  readonly clock: Clock;
  readonly resolve: Resolve;
  /** Certificates to trust instead of the usual ones. */
  readonly authorities: readonly string[] | undefined;
  readonly publicOnly: boolean;
};

/** A connection, and until when its certificate holds. */
export type Dialled = { readonly socket: Socket; readonly certificateEndsAtMs: number | undefined };

/** Opens a connection. Every stage is noted in the log. */
export async function dial(asked: Dial, log: StageLog, signal?: AbortSignal): Promise<Dialled> {
  const { url, budgets, clock } = asked;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port !== '' ? url.port : url.protocol === 'https:' ? 443 : 80);
  const where = `${url.hostname}:${port}`;
  const addresses = await resolveStage(asked, host, log, signal);
  const refused = asked.publicOnly ? addresses.find(({ address }) => !isPublicAddress(address)) : undefined;
  if (refused !== undefined) {
    const detail = `${host} is ${refused.address}, which is not a public address; this target allows public addresses only`;
    throw new TargetFailure({ reason: 'probe_config_error', step: 'resolve', detail });
  }
  const late = (reason: 'connect_timeout' | 'tls_timeout', step: 'tcp' | 'tls', ms: number): (() => TargetFailure) => {
    const what = step === 'tcp' ? 'no answer to the connection attempt' : 'the TLS handshake did not finish';
    return () => new TargetFailure({ reason, step, detail: `${where}: ${what} within ${ms} ms` });
  };
  const socket = await log.time('tcp', () =>
    within({ clock, limitMs: budgets.tcpMs, signal }, late('connect_timeout', 'tcp', budgets.tcpMs), (stop) =>
      openTcp(addresses, port, where, stop),
    ),
  );
  if (url.protocol !== 'https:') return { socket, certificateEndsAtMs: undefined };
  const secured = await log.time('tls', () =>
    within({ clock, limitMs: budgets.tlsMs, signal }, late('tls_timeout', 'tls', budgets.tlsMs), (stop) =>
      openTls(socket, host, where, asked, stop),
    ),
  );
  const endsAt = Date.parse(secured.getPeerCertificate().valid_to);
  return { socket: secured, certificateEndsAtMs: Number.isNaN(endsAt) ? undefined : endsAt };
}

async function resolveStage(
  { clock, budgets, resolve }: Dial,
  host: string,
  log: StageLog,
  signal: AbortSignal | undefined,
): Promise<readonly LookupAddress[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  const late = (): TargetFailure =>
    new TargetFailure({ reason: 'dns_timeout', step: 'resolve', detail: `${host} was not resolved within ${budgets.resolveMs} ms` });
  return log.time('resolve', () =>
    within({ clock, limitMs: budgets.resolveMs, signal }, late, async () => {
      const found = await resolve(host).catch((error: unknown) => {
        throw networkFailure(error, 'resolve', host);
      });
      if (found.length > 0) return found;
      throw new TargetFailure({ reason: 'dns_nxdomain', step: 'resolve', detail: `${host} has no address` });
    }),
  );
}

function openTcp(addresses: readonly LookupAddress[], port: number, where: string, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({
      host: where,
      port,
      noDelay: true,
      // All addresses are tried, the families side by side; who answers first is taken.
      autoSelectFamily: true,
      lookup: (_host, options, callback) => {
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
    });
    const stop = (): void => void socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop);
      socket.removeAllListeners('error');
      socket.on('error', () => {});
      resolve(socket);
    });
    socket.once('error', (error) => reject(networkFailure(error, 'tcp', where)));
  });
}

function openTls(socket: Socket, host: string, where: string, { authorities }: Dial, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({
      socket,
      ...(isIP(host) === 0 ? { servername: host } : { host }),
      ALPNProtocols: ['http/1.1'],
      ...(authorities === undefined ? {} : { ca: [...authorities] }),
    });
    const stop = (): void => void secured.destroy();
    signal.addEventListener('abort', stop, { once: true });
    secured.once('secureConnect', () => {
      signal.removeEventListener('abort', stop);
      secured.removeAllListeners('error');
      secured.on('error', () => {});
      resolve(secured);
    });
    secured.once('error', (error) => {
      secured.destroy();
      reject(networkFailure(error, 'tls', where));
    });
  });
}
