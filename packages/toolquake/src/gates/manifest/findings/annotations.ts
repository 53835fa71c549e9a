/** Findings about annotations, by effective value: what is left out has a default. */
import { row } from './row.js';

const ASK = 'Clients ask their users by this promise: have a person look at what the tool does now.';
const VERIFY = 'It claims to be safer than before: verify it before clients stop asking.';

/** By id. */
export const ANNOTATION_FINDINGS = {
  'annotations.read-only-dropped': row(['breaking', 'security'], 'It may change things now.', ASK),
  'annotations.read-only-claimed': row('may-break', 'It claims to change nothing any more.', VERIFY),
  'annotations.destructive-added': row(['breaking', 'security'], 'It may destroy things now.', ASK),
  'annotations.destructive-dropped': row('may-break', 'It claims to destroy nothing any more.', VERIFY),
  'annotations.idempotent-dropped': row(
    'breaking',
    'Calling it twice is no longer the same as once.',
    'Clients that retry do the work twice: take an idempotency key.',
  ),
  'annotations.idempotent-claimed': row('may-break', 'It claims that calling it twice is the same as once.', VERIFY),
  'annotations.open-world-added': row('security', 'It reaches out to the open world now.', ASK),
  'annotations.open-world-dropped': row('may-break', 'It claims to stay in a closed world.', VERIFY),
  'annotations.title-changed': row('compatible', 'The title changed.'),
} as const;
