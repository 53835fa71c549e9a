/** What our own server and client get in the official suite without a proxy. docs/transparency.md shows the same numbers. */
export type Figures = { readonly words: readonly string[]; readonly scenarios: number; readonly passed: number; readonly failed: number };

/** The server: what fails is an extension (tasks) that its SDK does not have. */
export const serverFigures: readonly Figures[] = [
  { words: ['--suite', 'all'], scenarios: 65, passed: 202, failed: 30 },
  { words: ['--requirements', '2025-11-25'], scenarios: 33, passed: 84, failed: 0 },
  { words: ['--requirements', '2026-07-28'], scenarios: 50, passed: 164, failed: 30 },
];

/** The client. */
export const clientFigures: Figures = { words: ['--suite', 'all'], scenarios: 48, passed: 518, failed: 0 };
