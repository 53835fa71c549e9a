/** From a plan file, in any format that we know, to a checked plan. Errors carry file, line, column and the nearest good word. */
import {
  checkPlan,
  createValueReader,
  pathText,
  ToolquakeError,
  type Catalogue,
  type Plan,
  type PlanProblem,
  type TransportName,
} from '@toolquake/sdk/core';
import { importFaultConfigs } from './import-fault-configs.js';
import { importFlatPlan } from './import-flat-plan.js';
import { detectFormat, type ImportedPlan, type PlanFormat, type RuleSource } from './plan-format.js';
import { readPlanFile } from './plan-file.js';
import { parseText, type ParsedText, type Position, type TextProblem } from './plan-text.js';

/** What a plan is checked against. */
export type LoadPlanOptions = {
  readonly catalogue: Catalogue;
  /** Also refuse faults that cannot act there. */
  readonly transport?: TransportName | undefined;
};

/** What came of a text. `plan` is there exactly when there are no problems. */
export type PlanReading = {
  readonly format: PlanFormat;
  readonly plan: Plan | undefined;
  readonly problems: readonly TextProblem[];
  /** What a reader of an older format should know: rules that its own tool would never reach, for example. */
  readonly notes: readonly string[];
};

/** Problems beyond this many are counted, not listed: they mostly have one cause. */
const MAX_LISTED = 20;

/** The plan in a file, or one `ToolquakeError` that lists everything that is wrong with it. */
export async function loadPlan(path: string, options: LoadPlanOptions): Promise<Plan> {
  const { plan, problems } = await readPlan(path, options);
  if (plan === undefined) throw planError(path, problems);
  return plan;
}

/** Like `loadPlan`, with problems as a value. A file that cannot be read still throws. */
export async function readPlan(path: string, options: LoadPlanOptions): Promise<PlanReading> {
  return readPlanText(await readPlanFile(path), options);
}

/** Checks the text of a plan. */
export function readPlanText(source: string, { catalogue, transport }: LoadPlanOptions): PlanReading {
  const text = parseText(source);
  if (text.problems.length > 0) return { format: 'native', plan: undefined, problems: text.problems, notes: [] };
  const format = detectFormat(text.value);
  const { imported, problems: importProblems } = importPlan(format, text.value);
  if (imported === undefined) return { format, plan: undefined, problems: locateAll(text, importProblems), notes: [] };
  const { plan, problems } = checkPlan(imported.plan, catalogue, { transport });
  const original = problems.map((problem) => originalProblem(problem, imported.sources));
  return { format, plan, problems: locateAll(text, original), notes: imported.notes };
}

function importPlan(format: PlanFormat, value: unknown): { imported: ImportedPlan | undefined; problems: readonly PlanProblem[] } {
  if (format === 'native') return { imported: { plan: value, sources: undefined, notes: [] }, problems: [] };
  const reader = createValueReader();
  const imported = (format === 'flat' ? importFlatPlan : importFaultConfigs)(reader, value);
  return { imported: reader.problems.length === 0 ? imported : undefined, problems: reader.problems };
}

/** A problem of an imported rule, where its original stands and in the words of the original. */
function originalProblem(problem: PlanProblem, sources: readonly RuleSource[] | undefined): PlanProblem {
  const [root, index, ...rest] = problem.path;
  const source = root === 'rules' && typeof index === 'number' ? sources?.[index] : undefined;
  if (source === undefined) return problem;
  const path = source.members[pathText(rest)];
  if (path === undefined) return { ...problem, path: source.path };
  // Given as a function: a path may hold a `$`, which a replacement text would interpret.
  return { ...problem, path, message: problem.message.replace(pathText(problem.path), () => pathText(path)) };
}

/** Problems at their places in the text, in the order of the text. */
export function locateAll(text: ParsedText, problems: readonly PlanProblem[]): readonly TextProblem[] {
  const located = problems.map(({ path, code, message, advice }): TextProblem => {
    const position: Position = text.locate(path, code === 'UNKNOWN_KEY' ? 'key' : 'value');
    return { ...position, code, message, ...(advice === undefined ? {} : { advice }) };
  });
  return located.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** All problems of a file as one error. */
export function planError(path: string, problems: readonly TextProblem[]): ToolquakeError {
  const [first] = problems;
  const place = ({ line, column }: Position): string => `${path}:${line}:${column}`;
  if (first !== undefined && problems.length === 1) {
    return new ToolquakeError(first.code, { message: `${place(first)}: ${first.message}`, advice: first.advice });
  }
  const listed = problems
    .slice(0, MAX_LISTED)
    .map((problem) => `${place(problem)}: ${problem.message}${problem.advice === undefined ? '' : ` ${problem.advice}`}`);
  const rest = problems.length - listed.length;
  return new ToolquakeError(first?.code ?? 'BAD_SYNTAX', {
    message: [`${path} has ${problems.length} problems:`, ...listed, ...(rest > 0 ? [`... and ${rest} more.`] : [])].join('\n  '),
  });
}
