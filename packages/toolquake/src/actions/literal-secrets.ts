/** Whether writing a target down would write down a secret: values that look like one must come from a variable. Pure. */
import type { TargetDefinition } from '../targets/target.js';

const SECRET_NAME = /auth|cookie|token|secret|passw|api[-_]?key|credential|session/i;

/** Why the target cannot be written down; undefined when it can. */
export function whyTellsSecrets(target: TargetDefinition): string | undefined {
  const values = Object.entries((target.kind === 'url' ? target.headers : target.env) ?? {});
  const told = values.find(([name, value]) => SECRET_NAME.test(name) && !/\$\{\w+\}/.test(value));
  if (told !== undefined) return `"${told[0]}" of the target looks like a secret, and stands in the file as it is`;
  if (target.kind !== 'url' || !URL.canParse(target.url)) return undefined;
  const { username, password, searchParams } = new URL(target.url);
  if (username !== '' || password !== '') return 'the URL of the target holds a name or a password';
  const query = [...searchParams.keys()].find((name) => SECRET_NAME.test(name));
  return query === undefined ? undefined : `"${query}" in the URL of the target looks like a secret`;
}
