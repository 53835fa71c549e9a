// The tables of the demo server, with something to find in them.
import pg from 'pg';

/** Makes a database of this name on a server, and resolves to its address. */
export async function createDemoDatabase({ host = '127.0.0.1', port, user, name }) {
  const run = async (database, statements) => {
    const client = new pg.Client({ host, port, user, database });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  await run('postgres', [`CREATE DATABASE "${name}"`]);
  await run(name, [
    'CREATE TABLE documents (id serial PRIMARY KEY, title text NOT NULL)',
    `INSERT INTO documents (title) SELECT 'chaos test ' || n FROM generate_series(1, 20) AS n`,
    'CREATE TABLE orders (id serial PRIMARY KEY, key text UNIQUE NOT NULL, item text NOT NULL)',
  ]);
  return `postgres://${user}@${host}:${port}/${name}`;
}
