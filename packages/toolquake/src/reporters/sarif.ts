/** Results for code scanning (SARIF 2.1.0): what GitHub and editors show beside the lines. */

/** A kind of result. */
export type SarifRule = { readonly id: string; readonly says: string; readonly advice?: string };

/** One result; `line` is from 1. */
export type SarifResult = {
  readonly ruleId: string;
  readonly level: 'error' | 'warning' | 'note';
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  /** The same for the same thing in every run. */
  readonly fingerprint: string;
  readonly pointer?: string;
  /** Why it does not count, when somebody accepted it. */
  readonly acceptedBecause?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
};

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** A whole SARIF log with one run. Only rules that have results are listed. */
export function sarifText({
  version,
  rules,
  results,
}: {
  readonly version: string;
  readonly rules: readonly SarifRule[];
  readonly results: readonly SarifResult[];
}): string {
  const used = rules.filter(({ id }) => results.some(({ ruleId }) => ruleId === id));
  const place = new Map(used.map(({ id }, index) => [id, index]));
  const driver = { name: 'toolquake', version, rules: used.map(ruleOf) };
  const run = { tool: { driver }, columnKind: 'utf16CodeUnits', results: results.map((one) => resultOf(one, place.get(one.ruleId))) };
  return `${JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, undefined, 2)}\n`;
}

function ruleOf({ id, says, advice }: SarifRule): object {
  return { id, shortDescription: { text: says }, ...(advice === undefined ? {} : { help: { text: advice } }) };
}

function resultOf(
  { ruleId, level, message, file, line, fingerprint, pointer, acceptedBecause, properties }: SarifResult,
  ruleIndex: number | undefined,
): object {
  const physical =
    file === undefined ? {} : { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line ?? 1 } } };
  const logical = pointer === undefined ? {} : { logicalLocations: [{ fullyQualifiedName: pointer }] };
  return {
    ruleId,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level,
    message: { text: message },
    locations: [{ ...physical, ...logical }],
    partialFingerprints: { 'toolquakeFinding/v1': fingerprint },
    ...(acceptedBecause === undefined ? {} : { suppressions: [{ kind: 'external', justification: acceptedBecause }] }),
    ...(properties === undefined ? {} : { properties }),
  };
}

/** Relative paths are URIs once each part is escaped; readers of SARIF resolve them against the repository. */
const uriOf = (path: string): string => path.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
