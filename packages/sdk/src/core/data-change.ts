/**
 * What a data fault changed: the clean and the dirty value, so that a later look at an agent's arguments and answers can
 * tell which of the two it believed. Bounded, and secrets stay out: a journal may be handed around.
 */

/** One value that a caller saw instead of another. `path` is a JSON Pointer into the result, and on into a text that holds JSON. */
export type DataChange = { readonly path: string; readonly clean?: unknown; readonly dirty?: unknown };

/** More changes than this in one answer are counted by nobody: the first ones tell the story. */
export const MAX_CHANGES = 32;
const MAX_TEXT = 256;
/** Well beyond what is written down; to search megabytes that a server made for the purpose could take for ever. */
const MAX_SEARCHED = 1024;
export const REDACTED = '[redacted]';

/**
 * Names whose values are nobody's business. Compared without case, `_` and `-`, and also as faults spell them that rename
 * a member or copy it (`token_value`, `token_raw`). Tokens in the plural are what a model has used.
 */
const SECRET_NAME =
  /((password|passwd|pwd|passphrase|secret|apikey|accesskey|privatekey|secretkey|signingkey|encryptionkey|authorization|cookie|credential|sessionid|bearer|signature)s?|token|auth|jwt)(value|raw|v2)*$/;
/** Values that give themselves away whatever they are called. */
const SECRET_VALUE =
  /\b(bearer\s+[\w.~+/-]{8,}|eyJ[\w-]{8,}\.[\w-]+\.[\w-]*|sk-[\w-]{16,}|gh[pousr]_\w{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16})|-----BEGIN [A-Z ]*PRIVATE KEY-----|:\/\/[^\s/:@]+:[^\s/@]+@/i;
/** A name and its value in words, in a header, or in JSON that stands inside a text. */
const NAMED_SECRET =
  /(pass(word|wd|phrase)|secret|token|(api|access|private|secret)[_-]?key|authorization|cookie|credentials?|session[_-]?id|signature)["'\\]*\s*[:=]\s*["'\\]*[^\s"'\\,;})\]]{3}/i;
/** Keys and cookies as they are encoded: capitals, small letters and digits without a space. */
const ENCODED_RUN = /[\w-]{32,}/g;

/** Does this name, or the last step of this path, announce a secret? */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/[_-]/g, '').toLowerCase());
}

function holdsSecret(text: string): boolean {
  const start = text.slice(0, MAX_SEARCHED);
  if (SECRET_VALUE.test(start) || NAMED_SECRET.test(start)) return true;
  return (start.match(ENCODED_RUN) ?? []).some((run) => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run));
}

/** A value as it may be written down: secrets and lengths cut, structure replaced by what it is. */
export function writableValue(value: unknown, isSecret = false): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (isSecret) return REDACTED;
  if (typeof value === 'number') return value;
  if (typeof value === 'string') {
    if (holdsSecret(value)) return REDACTED;
    return value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}… (${value.length} characters)`;
  }
  return Array.isArray(value)
    ? `list of ${value.length}`
    : typeof value === 'object'
      ? `object of ${Object.keys(value).length}`
      : undefined;
}

/** Notes a change, as long as there is room. */
export function noteChange(changes: DataChange[], path: string, clean: unknown, dirty: unknown): void {
  if (changes.length >= MAX_CHANGES) return;
  const isSecret = path.split('/').some(isSecretName);
  const values = { clean: writableValue(clean, isSecret), dirty: writableValue(dirty, isSecret) };
  changes.push({
    path: writablePath(path),
    ...(values.clean === undefined ? {} : { clean: values.clean }),
    ...(values.dirty === undefined ? {} : { dirty: values.dirty }),
  });
}

/** Members can be called by secrets: sessions by their ids. */
function writablePath(path: string): string {
  const steps = path.slice(0, MAX_TEXT).split('/');
  return steps.map((step) => (holdsSecret(step) ? REDACTED : step)).join('/');
}

/** A step of a JSON Pointer, escaped. */
export const pointerStep = (step: string | number): string => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
