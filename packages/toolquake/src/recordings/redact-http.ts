/** Takes secrets out of what HTTP adds to messages: addresses and headers. Few headers are kept at all. */
import { isSecretName, REDACTED } from '@toolquake/sdk/core';
import { redactText } from './redact.js';

/** What tells a client what to do next. Cookies, ids of sessions and credentials are never among them. */
const KEPT = /^(content-type|retry-after|www-authenticate|allow|location|link|(x-)?ratelimit[\w-]*|access-control-[\w-]+)$/;

/** Raw headers (name, value, name, value..) as they may be written down. */
export function redactHeaders(raw: readonly string[]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    if (!KEPT.test(name)) continue;
    const value = redactHeader(name, raw[index + 1]!);
    kept[name] = kept[name] === undefined ? value : `${kept[name]}, ${value}`;
  }
  return kept;
}

function redactHeader(name: string, value: string): string {
  if (name === 'www-authenticate') return redactChallenge(value);
  if (name !== 'location') return redactText(value);
  const origin = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(value)?.[0] ?? '';
  return redactText(origin) + redactPath(value.slice(origin.length));
}

const PARAMETER = /([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s,"]+)/g;

/** A challenge names a scheme, which only sounds like a credential, and parameters. */
function redactChallenge(value: string): string {
  const rest = value.replaceAll(PARAMETER, '');
  if (redactText(rest) !== rest) return REDACTED;
  return value.replaceAll(PARAMETER, (all, name: string, text: string) =>
    isSecretName(name) || redactText(text) !== text ? `${name}="${REDACTED}"` : all,
  );
}

/** Path and query without secrets; keys and ids of sessions are put there too. */
export function redactPath(path: string): string {
  const [address = '', ...queries] = path.split('#')[0]!.split('?');
  const segments = address.split('/').map((segment) => redactPart(segment));
  if (queries.length === 0) return segments.join('/');
  const parameters = queries.join('?').split('&');
  return `${segments.join('/')}?${parameters.map(redactParameter).join('&')}`;
}

function redactParameter(parameter: string): string {
  const [name = '', ...values] = parameter.split('=');
  if (values.length === 0) return redactPart(name);
  return `${redactPart(name)}=${isSecretName(decoded(name)) ? REDACTED : redactPart(values.join('='))}`;
}

function redactPart(part: string): string {
  const text = decoded(part);
  return redactText(text) === text ? part : REDACTED;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part.replaceAll('+', ' '));
  } catch {
    return part;
  }
}
