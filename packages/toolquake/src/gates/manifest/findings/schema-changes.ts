/**
 * Every way in which two JSON Schemas can differ, and what that means for arguments (inputs: narrowing breaks callers)
 * and for results (outputs: widening breaks readers). Order: from the whole value to its parts.
 */
import type { Level } from '../level.js';

/**
 * What the change does to the set of values that are accepted. `both`: some come, some go, or it depends. `unknown`:
 * nobody can tell. `none`: nothing.
 */
export type Side = 'narrowed' | 'widened' | 'both' | 'unknown' | 'none';

/** One kind of change. */
export type SchemaChangeRow = {
  readonly side: Side;
  readonly input: Level;
  readonly output: Level;
  readonly says: string;
  readonly onInput?: string;
  readonly onOutput?: string;
};

const change = (side: Side, input: Level, output: Level, says: string, onInput?: string, onOutput?: string): SchemaChangeRow => ({
  side,
  input,
  output,
  says,
  ...(onInput === undefined ? {} : { onInput }),
  ...(onOutput === undefined ? {} : { onOutput }),
});

const KEEP_OLD_VALUES = 'Go on accepting the old values, or offer the new form under a new tool name.';
const KEEP_PROMISE = 'Go on promising what the old schema promised, or offer the new form under a new tool name.';
const LOOK = 'Compare the two by hand, and waive the finding when the change is harmless.';
const B = 'breaking';
const W = 'may-break';
const N = 'compatible';
const U = 'undecidable';

/** The table. Ids in reports are `input.KIND` and `output.KIND`. */
export const SCHEMA_CHANGES = {
  'schema-forbidden': change('narrowed', B, N, 'No value is accepted here any more.', KEEP_OLD_VALUES),
  'schema-allowed': change('widened', N, B, 'Values are accepted where none was before.', undefined, KEEP_PROMISE),
  'type-narrowed': change('narrowed', B, N, 'A type is no longer accepted.', KEEP_OLD_VALUES),
  'type-widened': change('widened', N, B, 'A type was added.', undefined, 'Readers expect the old type: keep it, or add a new property.'),
  'type-changed': change(
    'both',
    B,
    B,
    'The type is another one.',
    KEEP_OLD_VALUES,
    'Readers expect the old type: keep it, or add a new property.',
  ),
  'null-removed': change('narrowed', B, N, 'null is no longer accepted.', 'Go on accepting null: callers send it for "not given".'),
  'null-added': change('widened', N, B, 'null may come now.', undefined, 'Leave the property out instead of sending null.'),
  'enum-value-removed': change('narrowed', B, N, 'A value was taken off the list.', 'Go on accepting the value, for example as an alias.'),
  'enum-value-added': change(
    'widened',
    N,
    W,
    'A value was added to the list.',
    undefined,
    'Tell readers to expect values that they do not know.',
  ),
  'enum-added': change('narrowed', B, N, 'Only listed values are accepted now.', KEEP_OLD_VALUES),
  'enum-removed': change(
    'widened',
    N,
    W,
    'Values are no longer limited to a list.',
    undefined,
    'Tell readers to expect values that they do not know.',
  ),
  'const-removed': change('widened', N, B, 'The value is no longer a constant.', undefined, 'Readers tell cases apart by it: keep it.'),
  'limit-tightened': change('narrowed', B, N, 'A limit was tightened or added.', KEEP_OLD_VALUES),
  'limit-relaxed': change(
    'widened',
    N,
    W,
    'A limit was relaxed or removed.',
    undefined,
    'Readers may have sized their storage by the old limit.',
  ),
  'multiple-changed': change('both', B, W, 'Numbers must be multiples of another number.', KEEP_OLD_VALUES),
  'pattern-added': change('narrowed', B, N, 'Text must match a pattern now.', KEEP_OLD_VALUES),
  'pattern-removed': change(
    'widened',
    N,
    W,
    'Text no longer follows a pattern.',
    undefined,
    'Readers may take the text apart by the old pattern.',
  ),
  'pattern-changed': change(
    'both',
    W,
    W,
    'Text must match another pattern.',
    'Make sure that the new pattern accepts what the old one did.',
    'Make sure that the old pattern accepts what the new one does.',
  ),
  'format-added': change('narrowed', W, N, 'Text has a format now.', 'Clients that check formats refuse other text before it is sent.'),
  'format-removed': change('widened', N, W, 'Text has no format any more.', undefined, 'Readers may parse the text by the old format.'),
  'format-changed': change(
    'both',
    W,
    W,
    'Text has another format.',
    'Clients that check formats refuse the old form.',
    'Readers may parse the text by the old format.',
  ),
  'content-changed': change(
    'both',
    W,
    W,
    'Text carries another encoding or media type.',
    'Accept both.',
    'Readers decode it by the old one.',
  ),
  'unique-items-added': change('narrowed', B, N, 'Items must be different from each other now.', KEEP_OLD_VALUES),
  'unique-items-removed': change('widened', N, W, 'Items may repeat now.', undefined, 'Readers may use the items as keys.'),
  'contains-added': change('narrowed', B, N, 'The list must contain a certain item now.', KEEP_OLD_VALUES),
  'contains-removed': change('widened', N, W, 'The list need not contain a certain item any more.', undefined, KEEP_PROMISE),
  'contains-changed': change('unknown', U, U, 'What the list must contain changed, with an upper bound on how often.', LOOK, LOOK),
  'required-property-added': change(
    'narrowed',
    B,
    N,
    'A required property was added.',
    'Make it optional, with a default that keeps the old behaviour.',
  ),
  'optional-property-added': change('none', N, N, 'An optional property was added.'),
  'property-added-where-others-were-allowed': change(
    'narrowed',
    W,
    N,
    'An optional property was added whose name the old schema let pass with any value.',
    'Clients that already sent that name with another meaning are refused now. "additionalProperties": false would have prevented it.',
  ),
  'property-added-where-others-were-refused': change(
    'widened',
    N,
    W,
    'A property was added that readers who check the old schema refuse.',
    undefined,
    'Leave "additionalProperties" open in output schemas, so that properties can be added.',
  ),
  'property-removed': change(
    'narrowed',
    B,
    W,
    'A property was removed, and unknown ones are refused.',
    'Keep it, marked "deprecated", and ignore it.',
    'Keep the property until its readers are gone.',
  ),
  'property-ignored': change(
    'widened',
    W,
    W,
    'A property was removed: it is still accepted, and silently ignored.',
    'Keep it, marked "deprecated", or refuse it aloud.',
    'Keep the property until its readers are gone.',
  ),
  'required-property-removed': change(
    'widened',
    W,
    B,
    'A required property was removed.',
    'Callers still send it, and it is ignored.',
    'Readers count on it: keep it.',
  ),
  'property-renamed': change(
    'both',
    B,
    B,
    'A property seems to be renamed.',
    'Accept the old name, too.',
    'Send both names until the readers of the old one are gone.',
  ),
  'optional-to-required': change(
    'narrowed',
    B,
    N,
    'An optional property is required now.',
    'Leave it optional, with a default that keeps the old behaviour.',
  ),
  'required-to-optional': change(
    'widened',
    N,
    B,
    'A required property may be missing now.',
    undefined,
    'Readers count on it: go on sending it always.',
  ),
  'unknown-properties-refused': change('narrowed', B, N, 'Unknown properties are refused now.', 'Go on ignoring what you do not know.'),
  'unknown-properties-allowed': change(
    'widened',
    N,
    W,
    'Unknown properties may come now.',
    undefined,
    'Readers that check the old schema refuse them.',
  ),
  'pattern-properties-relaxed': change(
    'widened',
    N,
    W,
    'Properties whose names match a pattern are no longer limited.',
    undefined,
    KEEP_PROMISE,
  ),
  'pattern-properties-changed': change('unknown', U, U, 'The patterns for names of properties changed.', LOOK, LOOK),
  'property-names-added': change('narrowed', B, N, 'Names of properties are limited now.', KEEP_OLD_VALUES),
  'property-names-removed': change('widened', N, W, 'Names of properties are no longer limited.', undefined, KEEP_PROMISE),
  'dependency-added': change('narrowed', B, N, 'A property asks for others beside it now.', KEEP_OLD_VALUES),
  'dependency-removed': change('widened', N, W, 'A property no longer brings others with it.', undefined, KEEP_PROMISE),
  'branch-removed': change('narrowed', B, N, 'One of the alternatives was removed.', KEEP_OLD_VALUES),
  'branch-added': change(
    'widened',
    N,
    B,
    'An alternative was added.',
    undefined,
    'Readers do not know it: offer it under a new tool name.',
  ),
  'branches-added': change('narrowed', B, N, 'Values must meet one of several alternatives now.', KEEP_OLD_VALUES),
  'branches-removed': change('widened', N, W, 'Values need not meet one of the alternatives any more.', undefined, KEEP_PROMISE),
  'one-of-overlap': change(
    'both',
    W,
    W,
    'Alternatives of "oneOf" changed that may overlap: a value that meets two of them is refused.',
    'Use "anyOf", or a property with a constant that tells them apart.',
    'Use "anyOf", or a property with a constant that tells them apart.',
  ),
  'all-of-added': change('narrowed', B, N, 'A further condition was added ("allOf").', KEEP_OLD_VALUES),
  'all-of-removed': change('widened', N, W, 'A condition was taken away ("allOf").', undefined, KEEP_PROMISE),
  'not-added': change('narrowed', B, N, 'Some values are excluded now ("not").', KEEP_OLD_VALUES),
  'not-removed': change('widened', N, W, 'Values are no longer excluded ("not").', undefined, KEEP_PROMISE),
  'not-changed': change('unknown', U, U, 'Other values are excluded ("not").', LOOK, LOOK),
  'condition-added': change('narrowed', B, N, 'A condition was added ("if").', KEEP_OLD_VALUES),
  'condition-removed': change('widened', N, W, 'A condition was taken away ("if").', undefined, KEEP_PROMISE),
  'condition-changed': change('unknown', U, U, 'A condition changed ("if").', LOOK, LOOK),
  'unevaluated-changed': change('unknown', U, U, 'What "unevaluatedProperties" or "unevaluatedItems" covers may have changed.', LOOK, LOOK),
  'reference-unresolved': change(
    'unknown',
    U,
    U,
    'A reference leads out of the schema, or nowhere: what stands there is unknown.',
    'Use references that begin with "#/$defs/".',
    'Use references that begin with "#/$defs/".',
  ),
  'word-unreadable': change(
    'unknown',
    U,
    U,
    'A word of JSON Schema has a value that it must not have.',
    'Repair the schema: validators refuse it as a whole.',
    'Repair the schema: validators refuse it as a whole.',
  ),
  'dialect-changed': change(
    'unknown',
    U,
    U,
    'The dialect ("$schema") changed, and the schema uses words that mean something else in the other one.',
    LOOK,
    LOOK,
  ),
  'dialect-renamed': change(
    'both',
    W,
    W,
    'The dialect ("$schema") changed; the words in use mean the same in both.',
    'Clients that do not know the new dialect refuse the schema.',
    'Clients that do not know the new dialect refuse the schema.',
  ),
  'vocabulary-changed': change(
    'unknown',
    U,
    U,
    'A word changed whose meaning depends on where it is evaluated ("$dynamicRef", "$vocabulary", "$id").',
    LOOK,
    LOOK,
  ),
  'gave-up': change(
    'unknown',
    U,
    U,
    'The schemas are too large or too deep to be compared to the end.',
    'Simplify the schema: clients and models give up, too.',
    'Simplify the schema: clients give up, too.',
  ),
  'limits-of-providers': change(
    'none',
    W,
    W,
    'The schema grew beyond what large model providers accept (10 levels, 5000 properties, 1000 listed values).',
    'Flatten the schema, or cut the tool in two.',
    'Flatten the schema.',
  ),
  'default-changed': change(
    'none',
    W,
    N,
    'A default was added, removed or changed: callers that leave the argument out get another behaviour.',
    'Keep the old default.',
  ),
  'deprecated-added': change(
    'none',
    W,
    W,
    'It is marked "deprecated" now.',
    'Say in the description what to use instead.',
    'Say in the description what to read instead.',
  ),
  'deprecated-removed': change('none', N, N, 'It is no longer marked "deprecated".'),
  'title-changed': change('none', N, N, 'The title changed.'),
  'description-changed': change(
    'none',
    'text',
    'text',
    'The description changed.',
    'Try your prompts and evaluations with the new text.',
    'Try your prompts and evaluations with the new text.',
  ),
  'description-suspicious': change(
    'none',
    'security',
    'security',
    'The description changed in a way that poisoned tools are known for.',
    'Read the text, with hidden characters made visible, before you accept it.',
    'Read the text, with hidden characters made visible, before you accept it.',
  ),
  'examples-changed': change(
    'none',
    'text',
    'text',
    'The examples changed.',
    'Models copy examples: look at what they will send.',
    'Models copy examples: look at what they will expect.',
  ),
  'header-added': change(
    'none',
    B,
    N,
    'An argument is sent as a header now ("x-mcp-header"), and calls without the header are refused (-32020).',
    'Clients must list the tools anew: send list_changed, and keep ttlMs short.',
  ),
  'header-removed': change(
    'none',
    W,
    N,
    'An argument is no longer sent as a header ("x-mcp-header").',
    'Routers in front of the server may have used it.',
  ),
  'header-invalid': change(
    'none',
    B,
    N,
    'A header for an argument is not valid ("x-mcp-header"): clients drop the tool.',
    'Use one token per header, on a string, integer or boolean, reached through "properties" only.',
  ),
  'extension-changed': change('none', N, N, 'A word changed that JSON Schema does not know.'),
  'spelling-changed': change('none', N, N, 'The schema is written in another way and means the same.'),
} as const satisfies Readonly<Record<string, SchemaChangeRow>>;

/** A key of `SCHEMA_CHANGES`. */
export type SchemaChangeKind = keyof typeof SCHEMA_CHANGES;
