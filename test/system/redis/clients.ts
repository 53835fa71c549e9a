/** A real Redis, and both client libraries, told apart by as little as they allow. */
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { deadPort } from '../../tcp/harness.js';
import { folderFor, startServer } from '../dependency.js';

/** A running server. */
export type RedisServer = { readonly port: number; stop(): Promise<void> };

/** Starts one on a free port. */
export async function startRedis(port?: number): Promise<RedisServer> {
  const own = port ?? (await deadPort());
  const folder = folderFor({});
  const settings = ['--port', String(own), '--bind', '127.0.0.1', '--dir', folder.path, '--save', '', '--appendonly', 'no'];
  const stop = await startServer(['redis-server', ...settings], own);
  return {
    port: own,
    async stop() {
      await stop();
      folder.remove();
    },
  };
}

/** One client, whichever library it is of. */
export type AnyRedis = {
  readonly library: 'ioredis' | 'node-redis';
  /** What is intercepted. */
  readonly client: object;
  /** The object that patches are made on. */
  readonly patched: object;
  readonly errors: unknown[];
  call(name: string, ...args: string[]): Promise<unknown>;
  pipeline(commands: readonly (readonly string[])[]): Promise<unknown>;
  multi(commands: readonly (readonly string[])[]): Promise<unknown>;
  duplicate(): Promise<AnyRedis>;
  close(): void;
};

/** How clients are opened: `retries` false makes them give up when their connection breaks. */
export type OpenOptions = { readonly retries?: boolean; readonly commandTimeout?: number };

/** An ioredis client. */
async function openIoredis(port: number, { retries = true, commandTimeout }: OpenOptions = {}): Promise<AnyRedis> {
  const given = { port, host: '127.0.0.1', lazyConnect: true, ...(commandTimeout === undefined ? {} : { commandTimeout }) };
  const redis = new Redis(retries ? { ...given, retryStrategy: () => 10 } : { ...given, retryStrategy: () => null });
  await redis.connect();
  return ofIoredis(redis);
}

/** A list of commands calls methods, by their names. */
const batch = (commands: readonly (readonly string[])[]): string[][] =>
  commands.map(([name = '', ...args]) => [name.toLowerCase(), ...args]);

function ofIoredis(redis: Redis): AnyRedis {
  const errors: unknown[] = [];
  redis.on('error', (error) => errors.push(error));
  return {
    library: 'ioredis',
    client: redis,
    patched: redis,
    errors,
    call: (name, ...args) => redis.call(name, ...args),
    pipeline: (commands) => redis.pipeline(batch(commands)).exec(),
    multi: (commands) => redis.multi(batch(commands)).exec(),
    async duplicate() {
      const copy = redis.duplicate();
      await copy.ping();
      return ofIoredis(copy);
    },
    close: () => redis.disconnect(),
  };
}

/** A node-redis client. */
async function openNodeRedis(port: number, { retries = true }: OpenOptions = {}): Promise<AnyRedis> {
  const client = createClient({ socket: { host: '127.0.0.1', port, reconnectStrategy: retries ? () => 10 : false } });
  const opened = ofNodeRedis(client as NodeRedis);
  await client.connect();
  return opened;
}

type NodeRedis = ReturnType<typeof createClient>;

function ofNodeRedis(client: NodeRedis): AnyRedis {
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  const chain = (commands: readonly (readonly string[])[]) => {
    const multi = client.multi();
    for (const command of commands) multi.addCommand([...command]);
    return multi;
  };
  return {
    library: 'node-redis',
    client,
    patched: (client as unknown as { _self: object })._self,
    errors,
    call: (name, ...args) => client.sendCommand([name, ...args]),
    pipeline: (commands) => chain(commands).execAsPipeline(),
    multi: (commands) => chain(commands).exec(),
    async duplicate() {
      const copy = client.duplicate();
      const opened = ofNodeRedis(copy as NodeRedis);
      await copy.connect();
      return opened;
    },
    close: () => client.destroy(),
  };
}

/** Both libraries. */
export const LIBRARIES = { ioredis: openIoredis, 'node-redis': openNodeRedis } as const;
