/** A database of one page with its client, for the scripts of the table that commands have a part in. */
import { startPlan, type Run } from '@toolquake/sdk/controller';
import { attachCommands } from '@toolquake/sdk/interceptors';
import { createManualClock, type ManualClock } from '@toolquake/sdk/testing';

/** What a script plays with. */
export type CommandStage = {
  readonly clock: ManualClock;
  readonly run: Run;
  readonly data: Map<string, unknown>;
  /** Commands that the database executed. */
  readonly executed: string[];
  /** How its connection broke. */
  readonly broken: string[];
  /** How a new connection would fail. */
  connecting(): string | undefined;
  send(name: 'GET' | 'SET', key: string, value?: unknown): Promise<unknown>;
};

/** Everything that promises still have to say was said. */
export const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Opens it under one rule. */
export function openCommandStage(rule: object): CommandStage {
  const clock = createManualClock();
  const run = startPlan({ seed: 42, rules: [{ id: 'shake', ...rule }] }, { isAllowed: () => true, clock });
  const data = new Map<string, unknown>([['a', 'one']]);
  const executed: string[] = [];
  const broken: string[] = [];
  const attached = attachCommands(run, {
    client: {
      errorOf: ({ message }) => new Error(`ERR ${String(message)}`),
      lose(how, command) {
        broken.push(how);
        if (command !== undefined) throw new Error('Connection lost');
        return undefined;
      },
    },
    restore: () => {},
  });
  const send: CommandStage['send'] = (name, key, value) => {
    const command = {
      name,
      args: { key },
      execute() {
        executed.push(`${name} ${key}`);
        if (name === 'SET') data.set(key, value);
        return name === 'SET' ? 'OK' : (data.get(key) ?? null);
      },
    };
    return attached.perform(command)?.outcome ?? Promise.resolve(command.execute());
  };
  return { clock, run, data, executed, broken, connecting: attached.connecting, send };
}
