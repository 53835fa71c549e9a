import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { alertMessage, readAlerts, testMessage } from './alert-message.js';

const about = { target: 'shop', source: 'run-1', startedAt: '2026-11-19T00:00:00.000Z', sentAt: '2026-11-19T00:01:00.000Z' };

describe('understands', () => {
  test('what it sends itself', () => {
    const notice = { state: 'firing', rule: 'consecutive_failures', reason: 'connection_refused', incident: 1 } as const;
    expect(readAlerts(JSON.parse(JSON.stringify(alertMessage(notice, about))))).toEqual([
      {
        id: 'run-1/consecutive_failures/1',
        state: 'firing',
        reason: 'connection_refused',
        rule: 'consecutive_failures',
        target: 'shop',
        sentAtWallMs: Date.parse(about.sentAt),
      },
    ]);
    expect(readAlerts(testMessage(about))).toMatchObject([{ state: 'test' }]);
  });

  test('the webhook of Alertmanager', () => {
    const message = {
      version: '4',
      groupKey: '{}:{alertname="McpDown"}',
      status: 'firing',
      receiver: 'toolquake',
      commonLabels: { alertname: 'McpDown', severity: 'critical' },
      commonAnnotations: {},
      externalURL: 'http://alertmanager.example',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'McpDown', failure_reason: 'connection_refused', instance: 'shop' },
          annotations: { summary: 'down' },
          startsAt: '2026-11-19T00:00:00Z',
          endsAt: '0001-01-01T00:00:00Z',
          fingerprint: 'c1',
        },
        {
          status: 'resolved',
          labels: { instance: 'bank' },
          annotations: {},
          startsAt: '2026-11-19T00:00:00Z',
          endsAt: '2026-11-19T00:02:00Z',
        },
      ],
    };
    expect(readAlerts(message)).toMatchObject([
      { state: 'firing', reason: 'connection_refused', rule: 'McpDown', target: 'shop', sentAtWallMs: Date.parse('2026-11-19T00:00:00Z') },
      { state: 'resolved', reason: 'McpDown', rule: 'McpDown', target: 'bank', sentAtWallMs: Date.parse('2026-11-19T00:02:00Z') },
    ]);
  });

  test.each([
    [{ event: 'server.down', failure_reason: 'timeout', server: 'shop' }, 'firing timeout'],
    [{ event: 'server.recovered', server: 'shop' }, 'resolved external'],
    [{ status: 'DOWN', reason: 'health_check_failed' }, 'firing health_check_failed'],
    [
      { event_action: 'trigger', payload: { source: 'shop', custom_details: { failure_reason: 'connection_refused' } } },
      'firing connection_refused',
    ],
    [{ event_action: 'resolve', dedup_key: 'x' }, 'resolved external'],
    [{ state: 'ok', title: 'shop probe' }, 'resolved shop probe'],
    [{ state: 'test' }, 'test external'],
  ])('a flat message of another monitor: %j', (message, expected) => {
    expect(readAlerts(message)?.map(({ state, reason }) => `${state} ${reason}`)).toEqual([expected]);
  });
});

describe('refuses', () => {
  test.each([
    null,
    7,
    'down',
    [],
    {},
    { state: 'purple' },
    { alerts: [7] },
    { alerts: Array.from({ length: 101 }, () => ({ status: 'firing' })) },
  ])('%j', (message) => expect(readAlerts(message)).toBeUndefined());

  test('to pass on what a terminal would obey, or more than a line of it', () => {
    const [alert] = readAlerts({ state: 'firing', reason: `\u001b[31mred\n\u202e${'x'.repeat(3000)}`, rule: 'Bearer abcdefghijklmnop' })!;
    expect(alert!.reason).toMatch(/^\[31mred +x{100,}$/);
    expect(alert!.reason.length).toBeLessThanOrEqual(200);
    expect(alert!.rule).not.toContain('abcdefghijklmnop');
  });

  test('to break, whatever it is sent', () => {
    fc.assert(
      fc.property(fc.anything(), fc.jsonValue(), (anything, json) => {
        for (const message of [
          anything,
          json,
          { state: 'firing', labels: json, payload: anything },
          { status: 'resolved', alerts: [json] },
        ])
          for (const alert of readAlerts(message) ?? []) expect(alert.reason.length).toBeLessThanOrEqual(200);
      }),
    );
  });
});
