/** What `plan check` and `plan explain` print. */
import { createCatalogue, suggest, ToolquakeError, type TransportName } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { explainPlan, TRANSPORTS, type PlanExplanation, type RuleExplanation } from '../config/explain-plan.js';
import { planError, readPlan, type PlanReading } from '../config/load-plan.js';
import { EXIT, type CommandIo } from './command.js';
import { coloursFor, renderTable, type Colours } from './terminal.js';

const FORMATS = { native: 'native format', flat: 'flat fault list', configs: 'fault configs' } as const;

/** Checks a file and tells the result; resolves to the exit code. */
export async function checkPlanFile(
  path: string,
  options: { transport: string | undefined; isJson: boolean; io: CommandIo },
): Promise<number> {
  const { isJson, io } = options;
  const transport = options.transport === undefined ? undefined : transportOf(options.transport);
  const reading = await readPlan(path, { catalogue: createCatalogue(faults), transport });
  const { plan, problems, format, notes } = reading;
  if (isJson) {
    const result =
      plan === undefined ? { problems } : { seed: plan.seed, rules: plan.rules.map(({ id, fault }) => ({ id, fault: fault.type })) };
    io.stdout.write(`${JSON.stringify({ file: path, isGood: plan !== undefined, format, notes, ...result }, null, 2)}\n`);
    return plan === undefined ? EXIT.badInput : EXIT.pass;
  }
  if (plan === undefined) throw planError(path, problems);
  const colours = coloursFor(io.stdout, io.env);
  const where = transport === undefined ? '' : ` for ${transport}`;
  io.stdout.write(`${colours.green('ok')} ${path}${where}: ${rulesText(plan.rules.length)}, seed ${plan.seed} (${FORMATS[format]})\n`);
  for (const note of notes) io.stdout.write(`${colours.yellow('note')} ${note}\n`);
  return EXIT.pass;
}

/** Explains a file in words. */
export async function explainPlanFile(path: string, { isJson, io }: { isJson: boolean; io: CommandIo }): Promise<void> {
  const reading = await readPlan(path, { catalogue: createCatalogue(faults) });
  if (reading.plan === undefined) throw planError(path, reading.problems);
  const explanation = explainPlan(reading.plan);
  if (isJson) io.stdout.write(`${JSON.stringify({ file: path, format: reading.format, notes: reading.notes, ...explanation }, null, 2)}\n`);
  else io.stdout.write(explanationText(path, reading, explanation, io));
}

function transportOf(word: string): TransportName {
  const transport = TRANSPORTS.find((one) => one === word);
  if (transport !== undefined) return transport;
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `--for must be ${TRANSPORTS.join(', ')}, not "${word}".`,
    advice: suggest(word, TRANSPORTS),
  });
}

function rulesText(count: number): string {
  return `${count} rule${count === 1 ? '' : 's'}`;
}

function explanationText(
  path: string,
  { notes, format }: PlanReading,
  { seed, rules, limits, expectations }: PlanExplanation,
  io: CommandIo,
): string {
  const colours = coloursFor(io.stdout, io.env);
  const width = io.stdout.columns ?? 100;
  const line = (label: string, text: string): string => renderTable([[label, text]], { width });
  return [
    `${colours.bold(path)}: ${rulesText(rules.length)}, seed ${seed} (${FORMATS[format]})\n`,
    ...rules.map(
      (rule) => `\n${colours.bold(rule.id)}${rule.isEnabled ? '' : colours.dim(' (switched off)')}\n${ruleText(rule, colours, width)}`,
    ),
    limits.length + expectations.length + notes.length > 0 ? '\n' : '',
    ...limits.map((limit) => line('limit', `${limit}.`)),
    ...expectations.map((expectation) => line('expects', `${expectation}.`)),
    ...notes.map((note) => line(colours.yellow('note'), note)),
  ].join('');
}

function ruleText(rule: RuleExplanation, colours: Colours, width: number): string {
  const { expectedShare, doesNotWorkOn, worksOn } = rule;
  // Where draws are independent, "how often" has said it already.
  const isClustered = /bursts|episodes/.test(rule.howOften) && expectedShare !== undefined;
  const missing = Object.entries(doesNotWorkOn).map(([transport, why]) => `not ${transport}: ${why}`);
  return renderTable(
    [
      [colours.dim('hits'), `${rule.hits}, ${rule.howOften}.`],
      [colours.dim('does'), `${rule.fault}: ${rule.does}`],
      ...(isClustered
        ? [
            [
              colours.dim('share'),
              `In the long run about ${Number((expectedShare * 100).toPrecision(3))} in 100 matches, but not evenly: expect several at once, then none.`,
            ],
          ]
        : []),
      [colours.dim('works on'), [worksOn.join(', '), ...missing].join('; ')],
    ],
    { width, indent: 2 },
  );
}
