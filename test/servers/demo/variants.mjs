// How the demo server behaves while its database is gone: the good way, and one file's worth of bad ones.

/** What a tool answers when the database does not. */
const unavailable = (error) => ({
  isError: true,
  content: [{ type: 'text', text: `The database cannot be reached (${error.code ?? error.message}). Nothing was changed.` }],
});

/** Asks again until there is an answer. */
async function patiently(ask) {
  for (;;) {
    try {
      return await ask();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

let isWorn = false;

/**
 * `answer(ask, empty)` runs a query of a tool; `health(check)` resolves to the status of the health URL and its reason.
 * `needsDatabase`: the process ends when the database does.
 */
export const variants = {
  good: {
    answer: (ask) => ask().catch(unavailable),
    health: (check) => check(),
  },
  // Whatever cannot be reached is a reason to end, and again after the restart.
  'crash-loop': {
    needsDatabase: true,
    answer: (ask) => ask().catch(unavailable),
    health: (check) => check(),
  },
  // Waits for the database as long as it takes, and its callers with it.
  hang: {
    answer: patiently,
    health: (check) => check(),
  },
  // No rows are no rows.
  'silent-empty': {
    answer: (ask, empty) => ask().catch(() => empty),
    health: (check) => check(),
  },
  // A health URL that only says that the process lives.
  'health-lies': {
    answer: (ask) => ask().catch(unavailable),
    health: async () => undefined,
  },
  // A client that broke once is never replaced.
  'manual-restart': {
    answer: (ask) =>
      (isWorn ? Promise.reject(new Error('the connection is closed')) : ask()).catch((error) => unavailable(((isWorn = true), error))),
    health: async (check) => (isWorn ? 'database_unreachable' : check()),
  },
};
