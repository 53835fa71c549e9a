/** What `faults` prints: the table, one fault in full, or both as JSON. Everything is derived from the faults' own definitions. */
import { createCatalogue, suggest, ToolquakeError, whyNotOn, type Fault, type ParamSpec } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { TRANSPORTS, valueText } from '../config/explain-plan.js';
import type { CommandIo } from './command.js';
import { coloursFor, renderTable } from './terminal.js';

/** The page for one fault, or for all. */
export function describeFaults(
  name: string | undefined,
  { isJson, io }: { isJson: boolean; io: Pick<CommandIo, 'stdout' | 'env'> },
): string {
  const catalogue = createCatalogue(faults);
  const sorted = [...catalogue.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
  if (name === undefined) return isJson ? json(sorted.map(faultData)) : listText(sorted, io);
  const fault = catalogue.get(name);
  if (fault === undefined) {
    throw new ToolquakeError('UNKNOWN_FAULT', {
      message: `There is no fault "${name}".`,
      advice: `${suggest(name, [...catalogue.keys()])} Run "toolquake faults" to list all of them.`,
    });
  }
  return isJson ? json(faultData(fault)) : faultText(fault, io);
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

function faultData(fault: Fault): object {
  const { type, summary, role, trigger, carriers, phases, eras, methods, params } = fault;
  const transports = TRANSPORTS.map((transport) => [transport, whyNotOn(fault, transport) ?? true] as const);
  return {
    type,
    summary,
    role,
    trigger,
    carriers,
    methods,
    phases,
    eras,
    transports: Object.fromEntries(transports),
    params,
    example: exampleRule(fault),
  };
}

function listText(all: readonly Fault[], io: Pick<CommandIo, 'stdout' | 'env'>): string {
  const colours = coloursFor(io.stdout, io.env);
  const width = io.stdout.columns ?? 100;
  const rows = all.map((fault) => {
    const missing = TRANSPORTS.filter((transport) => whyNotOn(fault, transport) !== undefined);
    return [colours.bold(fault.type), missing.length === 0 ? 'everywhere' : `not ${missing.join(', ')}`, fault.summary];
  });
  const heading = ['FAULT', 'WORKS', 'WHAT IT DOES'].map((word) => colours.dim(word));
  return `${renderTable([heading, ...rows], { width })}\n${colours.dim('Run "toolquake faults NAME" for parameters and an example.')}\n`;
}

function faultText(fault: Fault, io: Pick<CommandIo, 'stdout' | 'env'>): string {
  const colours = coloursFor(io.stdout, io.env);
  const width = io.stdout.columns ?? 100;
  const heading = (text: string): string => `\n${colours.bold(text)}\n`;
  const params = Object.entries(fault.params).map(([name, spec]) => [
    name,
    valueText(spec, spec.default) || 'none',
    rangeText(spec),
    spec.about,
  ]);
  const places = TRANSPORTS.map((transport) => {
    const why = whyNotOn(fault, transport);
    return [transport, why === undefined ? 'yes' : `no: ${why}`];
  });
  return [
    `${colours.bold(fault.type)}\n`,
    renderTable([[fault.summary]], { width }),
    heading('Parameters'),
    params.length === 0
      ? '  none\n'
      : renderTable([['name', 'default', 'range', 'about'].map((word) => colours.dim(word)), ...params], { width, indent: 2 }),
    heading('Acts on'),
    renderTable(
      [
        ['carriers', fault.carriers.join(', ')],
        ['messages', fault.trigger === 'connect' ? 'new connections' : fault.methods.join(', ')],
        ['phases', `${fault.phases.join(', ')}${fault.phases.length > 1 ? ` (${fault.phases[0]} unless told otherwise)` : ''}`],
        ['eras', fault.eras.join(', ')],
        ['together', ROLES[fault.role]],
      ],
      { width, indent: 2 },
    ),
    heading('Works on'),
    renderTable(places, { width, indent: 2 }),
    heading('Example'),
    exampleRule(fault)
      .trimEnd()
      .split('\n')
      .map((line) => `  ${line}\n`)
      .join(''),
  ].join('');
}

const ROLES = {
  terminal: 'at most one such fault per message: the first that fires',
  shaping: 'joins any other fault on the same message',
  data: 'joins others that change data, in the order of the plan',
  extra: 'happens besides whatever else does',
} as const;

function rangeText(spec: ParamSpec): string {
  switch (spec.kind) {
    case 'ms':
      return `${spec.min} to ${spec.max} ms`;
    case 'count':
      return `${spec.max === Number.MAX_SAFE_INTEGER ? `${spec.min} or more` : `${spec.min} to ${spec.max}`}`;
    case 'ratio':
      return '0 to 1';
    case 'oneOf':
      return spec.choices.join(', ');
    case 'text':
      return 'text';
    case 'flag':
      return 'true, false';
    case 'names':
      return 'names';
  }
}

/** A plan with one rule of this fault, which `plan check` accepts. JSON values are YAML too, so quoting takes care of itself. */
export function exampleRule(fault: Fault): string {
  const params = Object.entries(fault.params).map(([name, spec]) => `${name}: ${JSON.stringify(spec.default)}`);
  const isAboutTools = fault.trigger === 'call' && fault.methods.includes('tools/call');
  return [
    'version: 1',
    'rules:',
    `  - id: try-${fault.type}`,
    `    fault: ${fault.type}`,
    ...(params.length === 0 ? [] : [`    params: { ${params.join(', ')} }`]),
    ...(isAboutTools ? ['    when: { tool: "search_*" }'] : []),
    '    probability: 0.3',
    '',
  ].join('\n');
}
