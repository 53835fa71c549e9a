/** Values of HTTP headers that faults write. Pure. */

/** A challenge for `WWW-Authenticate` (RFC 6750) with its parameters in order; empty ones are left out. */
export function bearerChallenge(params: Readonly<Record<string, string>>): string {
  const said = Object.entries(params).flatMap(([name, value]) => (value === '' ? [] : [`${name}="${value.replaceAll(/["\\]/g, '\\$&')}"`]));
  return ['Bearer', said.join(', ')].join(' ').trimEnd();
}

/** Can a text stand in a header as it is? */
export function isHeaderText(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
