/** Secrets of our own environment, in whatever form a server repeats them. */
import { isObject, isSecretName, REDACTED } from '@toolquake/sdk/core';

/** Shorter values stand in too many texts by chance. */
const MIN_LENGTH = 8;

/** Every spelling of the values whose names announce a secret, the longest first. */
export function knownSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value]) =>
    isSecretName(name) && value !== undefined && value.length >= MIN_LENGTH ? [value] : [],
  );
  return [...new Set(values.flatMap(spellings))].sort((one, other) => other.length - one.length);
}

function spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  // Base64 without its last characters: they depend on what follows the secret.
  const base64 = [bytes.toString('base64'), bytes.toString('base64url')].map((text) => text.replace(/=+$/, ''));
  return [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), bytes.toString('hex'), ...base64];
}

/** The value without them; a text that holds one goes as a whole. */
export function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return secrets.some((secret) => value.includes(secret)) ? REDACTED : value;
  if (Array.isArray(value)) return value.map((item: unknown) => withoutSecrets(item, secrets));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      secrets.some((secret) => name.includes(secret)) ? REDACTED : name,
      withoutSecrets(item, secrets),
    ]),
  );
}
