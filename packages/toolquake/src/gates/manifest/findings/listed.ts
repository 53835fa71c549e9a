/** Findings about prompts, resources and resource templates. */
import { row } from './row.js';

const TRY = 'Try your prompts and evaluations with it.';
const READ = 'Read the text, with hidden characters made visible, before you accept it.';

/** By id. */
export const LISTED_FINDINGS = {
  'prompt.removed': row('breaking', 'The prompt is gone.', 'Keep it until its users are gone.'),
  'prompt.added': row('compatible', 'The prompt is new.'),
  'prompt.required-argument-added': row('breaking', 'A required argument was added.', 'Make it optional.'),
  'prompt.argument-required': row('breaking', 'An optional argument is required now.', 'Leave it optional.'),
  'prompt.argument-optional': row('compatible', 'A required argument is optional now.'),
  'prompt.argument-removed': row('may-break', 'An argument is gone.', 'Accept it, and ignore it.'),
  'prompt.argument-added': row('compatible', 'An optional argument was added.'),
  'prompt.description-changed': row('text', 'The description changed.', TRY),
  'prompt.description-suspicious': row('security', 'The description changed in a way that poisoned prompts are known for.', READ),
  'prompt.changed': row('compatible', 'Something else about the prompt changed.'),
  'resource.removed': row('breaking', 'The resource is gone.', 'Go on answering its URI.'),
  'resource.added': row('compatible', 'The resource is new.'),
  'resource.mime-type-changed': row('breaking', 'The resource has another media type.', 'Offer the new form under a new URI.'),
  'resource.grown': row('may-break', 'The resource is ten times as large, or larger.', 'Clients cut what does not fit: offer it in parts.'),
  'resource.name-changed': row('compatible', 'The name or the title changed.'),
  'resource.description-changed': row('text', 'The description changed.', TRY),
  'resource.description-suspicious': row('security', 'The description changed in a way that poisoned resources are known for.', READ),
  'resource.annotations-changed': row('text', 'Audience or priority changed: clients choose by them what models see.', TRY),
  'resource.changed': row('compatible', 'Something else about the resource changed.'),
  'template.removed': row('breaking', 'The template is gone.', 'Go on answering its URIs.'),
  'template.added': row('compatible', 'The template is new.'),
  'template.variables-changed': row('breaking', 'The template has other variables.', 'Keep the old template beside the new one.'),
  'template.mime-type-changed': row('breaking', 'The template has another media type.', 'Offer the new form under a new template.'),
  'template.name-changed': row('compatible', 'The name or the title changed.'),
  'template.description-changed': row('text', 'The description changed.', TRY),
  'template.description-suspicious': row('security', 'The description changed in a way that poisoned resources are known for.', READ),
  'template.annotations-changed': row('text', 'Audience or priority changed: clients choose by them what models see.', TRY),
  'template.changed': row('compatible', 'Something else about the template changed.'),
} as const;
