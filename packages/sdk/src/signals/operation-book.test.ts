import { describe, expect, test } from 'vitest';
import { metricsText } from '../core/metrics-text.js';
import { createOperationBook, OTHER_NAME } from './operation-book.js';
import type { Operation } from './operation.js';

const operation = (given: Partial<Operation> = {}): Operation => ({
  method: 'tools/call',
  tool: 'search',
  errorType: undefined,
  network: 'pipe',
  version: '2025-11-25',
  seconds: 0.015,
  ...given,
});

describe('the histogram', () => {
  test('is cumulative, and its last bucket holds everything', () => {
    const book = createOperationBook(() => 0);
    for (const seconds of [0.005, 0.015, 1000]) book.add(operation({ seconds }));
    const text = metricsText([book.family()]);
    const bucket = (le: string): string | undefined => new RegExp(`_bucket\\{.*le="${le}"\\} (\\d+)`).exec(text)?.[1];
    expect(['0.01', '0.02', '300', '+Inf'].map((le) => bucket(le.replace('+', '\\+')))).toEqual(['1', '2', '2', '3']);
    expect(text).toMatch(/_count\{.*\} 3\n/);
  });

  test('has a bound to its series, whatever tools, methods and errors there are', () => {
    const book = createOperationBook(() => 0);
    for (let index = 0; index < 20_000; index++)
      book.add(operation({ tool: `tool-${index % 300}`, method: `method-${index % 90}`, errorType: String(index % 70) }));
    const rows = book.family().samples.filter(({ suffix }) => suffix === '_count');
    expect(rows.length).toBeLessThanOrEqual(2001);
    expect(rows.reduce((sum, { value }) => sum + value, 0)).toBe(20_000);
    expect(rows.some(({ labels }) => labels?.['mcp_method_name'] === OTHER_NAME)).toBe(true);
  });
});

describe('recent figures', () => {
  test('are of the last five minutes', () => {
    let nowMs = 0;
    const book = createOperationBook(() => nowMs);
    for (let minute = 0; minute < 10; minute++) {
      nowMs = minute * 60_000;
      book.add(operation({ seconds: minute }));
    }
    const [recent] = book.recent();
    expect(recent).toMatchObject({ tool: 'search', calls: 5 });
    expect(recent?.p50Ms).toBeGreaterThan(6900);
    expect(recent?.p50Ms).toBeLessThan(7100);
    nowMs += 10 * 60_000;
    expect(book.recent()).toEqual([]);
    expect(book.total).toBe(10);
  });

  test('tell errors of a tool from errors of the protocol', () => {
    const book = createOperationBook(() => 0);
    for (const errorType of [undefined, 'tool_error', '-32602', '-32603']) book.add(operation({ errorType }));
    expect(book.recent()).toMatchObject([{ calls: 4, toolErrors: 1, protocolErrors: 2 }]);
  });
});
