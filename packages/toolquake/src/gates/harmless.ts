/** Words that a server chose, as we may repeat them. */
import { redactText } from '../recordings/redact.js';

/** No secret that it repeats, and nothing that a terminal would obey. */
export function harmless(text: string): string {
  return redactText(text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')).slice(0, 600);
}
