// What an interceptor adds to a statement of `pg`, beside the bare client: idle, with a rule that matches nothing, and with
// one that fires and does nothing. The server is a stream in this process that answers at once, so the ratio is the worst
// there is: any real server is slower.
// Run: node bench/postgres.mjs [rounds]
import { Duplex } from 'node:stream';
import pg from 'pg';
import { loadSources } from './load-sources.mjs';

const { interceptPostgres, startPlan } = await loadSources(['sdk/src/interceptors/index.ts', 'sdk/src/controller/index.ts']);
const rounds = Number(process.argv[2] ?? 60);
const STATEMENTS = 200;

const message = (type, body) => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
};
const ready = message('Z', Buffer.from('I'));
const column = Buffer.concat([Buffer.from('n\0'), Buffer.alloc(6), Buffer.from([0, 0, 0, 23, 0, 4, 255, 255, 255, 255, 0, 0])]);
const described = message('T', Buffer.concat([Buffer.from([0, 1]), column]));
const row = message('D', Buffer.from([0, 1, 0, 0, 0, 1, 0x37]));
const complete = message('C', Buffer.from('SELECT 1\0'));
const simpleReply = Buffer.concat([described, row, complete, ready]);
const preparedReply = Buffer.concat([message('1', Buffer.alloc(0)), message('2', Buffer.alloc(0)), simpleReply]);
const greeting = Buffer.concat([message('R', Buffer.alloc(4)), ready]);
const SIMPLE = 'Q'.charCodeAt(0);

/** A server that answers at once, as the socket of a client. */
class Answers extends Duplex {
  #isKnown = false;
  connect() {
    process.nextTick(() => this.emit('connect'));
    return this;
  }
  setNoDelay() {}
  ref() {}
  unref() {}
  _read() {}
  _write(bytes, _encoding, done) {
    if (!this.#isKnown) {
      this.#isKnown = true;
      this.push(greeting);
    } else if (bytes[0] === SIMPLE) this.push(simpleReply);
    // The Sync that ends a prepared statement.
    else if (bytes[0] === 0x53) this.push(preparedReply);
    done();
  }
  _writev(chunks, done) {
    for (const { chunk } of chunks) this._write(chunk, 'buffer', () => {});
    done();
  }
}

async function client(rules) {
  const one = new pg.Client({ stream: () => new Answers(), user: 'bench', database: 'bench' });
  if (rules !== undefined) interceptPostgres(startPlan({ seed: 1, rules }, { isAllowed: () => true, journal: () => {} }), one);
  await one.connect();
  return one;
}

const kinds = [
  ['bare', undefined],
  ['no rule', []],
  ['a rule that matches nothing', [{ fault: 'latency', when: { tool: 'NEVER' } }]],
  ['a rule that fires and does nothing', [{ fault: 'do-nothing' }]],
];
const clients = await Promise.all(kinds.map(([, rules]) => client(rules)));
const forms = [
  ['a text', (one) => one.query('SELECT 7 AS n')],
  ['with values', (one) => one.query('SELECT $1::int AS n', [7])],
];

console.log(`Node ${process.version}, ${rounds} rounds, best of each\n`);
for (const [form, ask] of forms) {
  // The best of many short rounds, taken in turn: a busy machine only ever adds.
  const best = clients.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (const [index, one] of clients.entries()) {
      const started = process.hrtime.bigint();
      for (let count = 0; count < STATEMENTS; count++) await ask(one);
      best[index] = Math.min(best[index], Number(process.hrtime.bigint() - started) / STATEMENTS);
    }
  }
  for (const [index, [kind]] of kinds.entries()) {
    const ratio = (best[index] / best[0]).toFixed(2);
    console.log(`${form.padEnd(12)}  ${kind.padEnd(36)}  ${(best[index] / 1000).toFixed(2).padStart(7)} us  ${ratio}x`);
  }
}
process.exit(0);
