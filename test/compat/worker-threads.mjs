// Two threads, as docs/processes.md has them: each has a controller of its own, and a channel reaches all.
import { isMainThread, Worker } from 'node:worker_threads';
import { ChaosController, configureChaosLogger } from '@toolquake/sdk/compat';

const print = (...words) => process.stdout.write(`${words.join(' ')}\n`);
const quiet = () => {};
configureChaosLogger(() => ({ debug: quiet, info: quiet, warn: quiet, error: quiet }));

const controller = ChaosController.getInstance();
const count = () => controller.getActiveFaults().length;
const channel = new BroadcastChannel('faults');
channel.onmessage = ({ data: { target, config } }) => {
  controller.inject(target, config);
  print(`in the worker after: ${count()}`);
  channel.close();
};

/** A channel reaches everybody but the one who speaks. */
function injectEverywhere(target, config) {
  controller.inject(target, config);
  channel.postMessage({ target, config });
}

if (isMainThread) {
  controller.inject('mine', { type: 'connection-refused' });
  const worker = new Worker(new URL(import.meta.url));
  worker.once('message', () => injectEverywhere('api', { type: 'connection-refused' }));
  worker.once('exit', () => {
    print(`in the main thread: ${count()}`);
    channel.close();
  });
} else {
  const { parentPort } = await import('node:worker_threads');
  print(`in the worker before: ${count()}`);
  parentPort.postMessage('ready');
}
