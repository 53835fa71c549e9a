/** Takes the same time wherever a secret is wrong: every character is compared, whatever came before. */
export function isSameSecret(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length;
  for (let index = 0; index < wanted.length; index++)
    difference |= wanted.charCodeAt(index) ^ given.charCodeAt(index % (given.length || 1));
  return difference === 0;
}
