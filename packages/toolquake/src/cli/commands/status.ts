import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { duration } from '../../reporters/figures.js';
import { ADMIN_OPTIONS, askProxy } from '../admin-face.js';
import { defineCommand } from '../command.js';

/** What a running proxy is doing. */
export const status = defineCommand({
  name: 'status',
  summary: 'Lists the rules of a running proxy, the injected ones too, and how often each fired.',
  options: ADMIN_OPTIONS,
  examples: ['toolquake status --url http://127.0.0.1:9901'],
  handle: (given, io) => askProxy(given, io, { route: 'GET /chaos/status' }, statusPage),
});

function statusPage(answer: JsonObject): string {
  const rows = [
    ...rowsOf(answer['faults']).map(({ id, type, requestCount, request_count: counted, expiresInMs }) => [
      id,
      type,
      'injected',
      requestCount ?? counted,
      leftText(expiresInMs),
    ]),
    ...rowsOf(answer['rules']).map(({ id, fault, fired }) => [id, fault, 'plan', fired, '']),
  ].map((row) => row.map(String));
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(
    ([id = '', fault = '', from = '', fired, left = '']) =>
      `  ${id.padEnd(widths[0] ?? 0)}  ${fault.padEnd(widths[1] ?? 0)}  ${from.padEnd(widths[2] ?? 0)}  fired ${fired}x${left}`,
  );
  const head = answer['killed'] === true ? 'killed: nothing is injected until "toolquake revive"' : `${rows.length} rules at work`;
  const { task } = answer;
  return [head, ...lines, ...(typeof task === 'string' ? [`task "${task}" is going on`] : [])].join('\n');
}

const leftText = (ms: unknown): string => (typeof ms === 'number' ? `, ${duration(ms)} left` : '');

const rowsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
