/** Findings about tools as such; their schemas and annotations have tables of their own. */
import { row } from './row.js';

const TRY = 'Try your prompts and evaluations with it.';

/** By id. */
export const TOOL_FINDINGS = {
  'tool.removed': row('breaking', 'The tool is gone.', 'Keep it, or announce its end and remove it with the next major version.'),
  'tool.renamed': row('breaking', 'The tool seems to be renamed.', 'Keep the old name as an alias.'),
  'tool.added': row('compatible', 'The tool is new.'),
  'tool.added-ambiguous': row(
    'text',
    'The tool is new, and hard to tell from another one: models will confuse them.',
    'Give it a title and a description of its own.',
  ),
  'tool.order-changed': row(
    'text',
    'The order of tools changed: cached prompts are lost, and some models prefer what comes first.',
    'List tools in a fixed order.',
  ),
  'tool.name-invalid': row(
    'breaking',
    'The name breaks the rules (1 to 128 of A-Z a-z 0-9 _ - .): clients refuse it.',
    'Choose another name.',
  ),
  'tool.title-changed': row('compatible', 'The title changed.'),
  'tool.icons-changed': row('compatible', 'The icons changed.'),
  'tool.description-changed': row('text', 'The description changed.', TRY),
  'tool.description-suspicious': row(
    'security',
    'The description changed in a way that poisoned tools are known for.',
    'Read the text, with hidden characters made visible, before you accept it.',
  ),
  'tool.metadata-changed': row('compatible', 'Its "_meta" changed.'),
  'tool.interface-changed': row(
    'may-break',
    'It is shown by another user interface ("io.modelcontextprotocol/ui").',
    'Open it in a client that shows it.',
  ),
  'tool.task-required': row('breaking', 'It must be called as a task now: clients without tasks cannot call it.', 'Leave tasks optional.'),
  'tool.task-support-changed': row('may-break', 'Whether it can be called as a task changed.', 'Try it with a client that uses tasks.'),
  'tool.extension-changed': row('compatible', 'A member changed that the specification does not know.'),
  'tool.manifest-grown': row(
    'text',
    'All definitions together grew by more than a fifth: every prompt pays for it.',
    'Shorten descriptions, or offer fewer tools.',
  ),
  'input.schema-added': row('may-break', 'Arguments have a schema now.', 'Clients that check arguments refuse others.'),
  'input.schema-removed': row('may-break', 'Arguments have no schema any more: models guess.', 'Describe the arguments.'),
  'output.schema-added': row('compatible', 'Results have a schema now, and the server must keep it.'),
  'output.schema-removed': row('breaking', 'Results have no schema any more.', 'Readers of structured content count on it: keep it.'),
} as const;
