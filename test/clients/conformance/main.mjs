// The conformance client. The suite starts one for each scenario, all at the same time, and most of what a client does is to
// load: so it waits at a gate (if there is one) before it does anything that costs time. It holds its place until it ends.
import { once } from 'node:events';
import { connect } from 'node:net';

if (process.env.TOOLQUAKE_GATE !== undefined) {
  const gate = connect(Number(process.env.TOOLQUAKE_GATE), '127.0.0.1');
  await once(gate, 'data');
  gate.unref();
}
await import('./scenario.mjs');
