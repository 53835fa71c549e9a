/** An alert as one JSON message: ours to write, and many others' to read. Pure. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { harmless } from '../gates/harmless.js';
import type { AlertNotice } from './alert-state.js';

/** `test` proves the channel, and means nothing else. */
export type AlertWord = 'firing' | 'resolved' | 'test';

/** What we send to webhooks. */
export type AlertMessage = {
  readonly version: 1;
  /** The same for an alert and its end, so that receivers can pair them. */
  readonly id: string;
  readonly state: AlertWord;
  readonly reason: string;
  readonly rule: string;
  readonly target: string;
  readonly startedAt: string;
  readonly sentAt: string;
  /** One line for people: what Slack and its likes show. */
  readonly text: string;
};

/** What a receiver understood. */
export type ReceivedAlert = {
  /** As the sender calls it, where it is one of ours. */
  readonly id?: string | undefined;
  readonly state: AlertWord;
  readonly reason: string;
  readonly rule: string;
  readonly target: string | undefined;
  /** Milliseconds since 1970; what the sender says about its own clock. */
  readonly sentAtWallMs: number | undefined;
};

/** More in one message is no alert but a flood. */
const MAX_ALERTS = 100;

/** A notice as a message. `startedAt` and `sentAt` are wall clock. */
export function alertMessage(
  notice: Pick<AlertNotice, 'state' | 'rule' | 'reason' | 'incident'>,
  about: { readonly target: string; readonly source: string; readonly startedAt: string; readonly sentAt: string },
): AlertMessage {
  const { state, rule, reason, incident } = notice;
  const { target, source, startedAt, sentAt } = about;
  const text = state === 'firing' ? `${target} fails: ${reason} (since ${startedAt})` : `${target} is well again; it was: ${reason}`;
  return { version: 1, id: `${source}/${rule}/${incident}`, state, reason, rule, target, startedAt, sentAt, text };
}

/** Proves a channel before anything is broken. */
export function testMessage({
  target,
  source,
  sentAt,
}: {
  readonly target: string;
  readonly source: string;
  readonly sentAt: string;
}): AlertMessage {
  const text = `Toolquake tests this channel: nothing is wrong with ${target}.`;
  return { version: 1, id: `${source}/test`, state: 'test', reason: 'test', rule: 'test', target, startedAt: sentAt, sentAt, text };
}

/** The alerts in a message; undefined when it is none. Nothing that a sender writes gets further than a line of harmless text. */
export function readAlerts(message: unknown): readonly ReceivedAlert[] | undefined {
  if (!isObject(message)) return undefined;
  const { alerts } = message;
  if (Array.isArray(alerts)) {
    // The webhook of Alertmanager (version 4) and of Grafana: the message has a common part, each alert its own.
    if (alerts.length > MAX_ALERTS) return undefined;
    const read = alerts.map((alert: unknown) => (isObject(alert) ? readAlert(alert, message) : undefined));
    return read.some((alert) => alert === undefined) ? undefined : read.filter((alert) => alert !== undefined);
  }
  const alert = readAlert(message, {});
  return alert === undefined ? undefined : [alert];
}

function readAlert(alert: JsonObject, whole: JsonObject): ReceivedAlert | undefined {
  const places = [alert, ...['labels', 'annotations', 'payload', 'details'].map((name) => objectIn(alert, name))];
  places.push(
    objectIn(objectIn(alert, 'payload'), 'custom_details'),
    objectIn(whole, 'commonLabels'),
    objectIn(whole, 'commonAnnotations'),
  );
  const word = STATE_KEYS.map((key) => stateOf(alert[key])).find((state) => state !== undefined) ?? stateOf(whole['status']);
  if (word === undefined) return undefined;
  const find = (keys: readonly string[]): string | undefined => {
    for (const key of keys) for (const place of places) if (isWord(place[key])) return harmless(place[key]).trim().slice(0, 200);
    return undefined;
  };
  const rule = find(['rule', 'alertname', 'alert_name', 'monitor', 'title']) ?? 'external';
  const sentAt = find(word === 'resolved' ? ['sentAt', 'sent_at', 'timestamp', 'endsAt'] : ['sentAt', 'sent_at', 'timestamp', 'startsAt']);
  const sentAtWallMs = sentAt === undefined ? Number.NaN : Date.parse(sentAt);
  return {
    id: alert['version'] === 1 && isWord(alert['id']) ? alert['id'].slice(0, 200) : undefined,
    state: word,
    reason: find(['failure_reason', 'failureReason', 'reason', 'error_code']) ?? rule,
    rule,
    target: find(['target', 'server', 'server_name', 'instance', 'service', 'monitor', 'source']),
    sentAtWallMs: Number.isFinite(sentAtWallMs) ? sentAtWallMs : undefined,
  };
}

const STATE_KEYS = ['state', 'status', 'event_action', 'event', 'type'];

/** What monitors call it when something is wrong, and when it is over. */
const WORDS: Readonly<Record<AlertWord, readonly string[]>> = {
  firing: ['firing', 'down', 'alerting', 'alert', 'trigger', 'triggered', 'open', 'opened', 'failing', 'failed', 'critical', 'degraded'],
  resolved: ['resolved', 'resolve', 'up', 'ok', 'recovered', 'recovery', 'closed', 'close', 'healthy'],
  test: ['test'],
};

/** `server.down`, `incident_resolved` and `DOWN` are understood, too: the last word counts. */
function stateOf(value: unknown): AlertWord | undefined {
  if (!isWord(value)) return undefined;
  const last = value
    .toLowerCase()
    .split(/[._:\s-]/)
    .at(-1)!;
  return (Object.keys(WORDS) as AlertWord[]).find((state) => WORDS[state].includes(last));
}

const isWord = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 4000;

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(value) ? value : {};
}
