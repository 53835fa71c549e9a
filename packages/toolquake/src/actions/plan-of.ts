/** The plan that a step names: written in it, or in a file. Checked as any plan is, for the place where it will act. */
import { resolve } from 'node:path';
import { checkPlan, createCatalogue, isObject, ToolquakeError, type JsonObject, type Plan, type TransportName } from '@toolquake/sdk/core';
import { planError, readPlanText } from '../config/load-plan.js';
import { readPlanFile } from '../config/plan-file.js';
import { parseText } from '../config/plan-text.js';

/** A checked plan, and its rules as they were written. */
export type WrittenPlan = { readonly plan: Plan; readonly rules: readonly unknown[] };

/** Throws a `ToolquakeError` that lists what is wrong with the plan. */
export async function planOf({ plan, file }: JsonObject, transport: TransportName): Promise<WrittenPlan> {
  const catalogue = createCatalogue(await import('@toolquake/sdk/faults'));
  if ((plan === undefined) === (file === undefined)) throw wrong('it needs either "plan" or "file".');
  if (typeof file === 'string') {
    const text = await readPlanFile(file);
    const reading = readPlanText(text, { catalogue, transport });
    if (reading.plan === undefined) throw planError(file, reading.problems);
    if (reading.format !== 'native') throw wrong(`${file} is a plan in the ${reading.format} format of another tool.`);
    return written(reading.plan, parseText(text).value);
  }
  const given = Array.isArray(plan) ? { rules: plan } : plan;
  const whole = isObject(given) ? { version: 1, ...given } : given;
  const { plan: checked, problems } = checkPlan(whole, catalogue, { transport });
  const [problem] = problems;
  if (checked !== undefined) return written(checked, whole);
  throw new ToolquakeError(problem?.code ?? 'WRONG_TYPE', {
    message: `A step "plan": ${problems.map(({ message }) => message).join(' ')}`,
    advice: problem?.advice,
  });
}

/** The parameters with the plan of a file in them: it is checked, previewed, approved and kept as it is now. */
export async function settledPlan(params: JsonObject, transport: TransportName, folder: string): Promise<JsonObject> {
  const { file, ...rest } = params;
  if (typeof file !== 'string' || params['plan'] !== undefined) {
    await planOf(params, transport);
    return params;
  }
  const { plan, rules } = await planOf({ file: resolve(folder, file) }, transport);
  return { ...rest, plan: { version: 1, seed: plan.seed, rules } };
}

function written(plan: Plan, value: unknown): WrittenPlan {
  const { rules, limits, task, expect } = isObject(value) ? value : {};
  if (plan.rules.every(({ isEnabled }) => !isEnabled)) throw wrong('its plan has no rule that is on.');
  // What is injected are rules: what a plan says besides them would be silently lost.
  const lost = Object.entries({ limits, task, expect }).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  if (lost.length > 0) throw wrong(`its plan has ${lost.join(' and ')}, which an experiment says in its own way ("limits", "steady").`);
  return { plan, rules: Array.isArray(rules) ? rules : [] };
}

const wrong = (why: string): ToolquakeError =>
  new ToolquakeError('BAD_ARGUMENT', {
    message: `A step "plan" cannot be used: ${why}`,
    advice: 'Write rules as in a plan file: plan: { rules: [{ id: slow, fault: latency, params: { addedMs: 800 } }] }',
  });
