/** Refuses a rule that none of the attached interceptors could act on: better an error now than a fault that never fires. */
import { ToolquakeError } from '../core/errors.js';
import type { Catalogue, Site } from '../core/fault.js';
import { compileGlobs } from '../core/match.js';
import { suggest } from '../core/nearest-word.js';
import type { Rule } from '../core/plan.js';

/** Where a rule might act. */
export type Attached = { readonly site: Site; readonly target: string | undefined };

/** Why a rule cannot act on anything that is attached; undefined when it can, or while nothing is attached at all. */
export function whyNowhere(rule: Rule, attached: readonly Attached[], catalogue: Catalogue): ToolquakeError | undefined {
  if (attached.length === 0 || !rule.isEnabled) return undefined;
  const { id, fault, phase, when } = rule;
  const selects = compileGlobs(when.target);
  const here = when.target === undefined ? attached : attached.filter(({ target }) => target !== undefined && selects(target));
  if (here.length === 0) {
    const names = [...new Set(attached.flatMap(({ target }) => target ?? []))];
    const known = names.length === 0 ? 'nothing that is attached has a target' : `attached are ${names.join(', ')}`;
    const message = `Rule "${id}" can never match: its target is ${when.target?.join(', ')}, and ${known}.`;
    return new ToolquakeError('NEVER_MATCHES', { message, advice: suggest(when.target?.[0] ?? '', names) });
  }
  const refusals = here.map(({ site, target }) => ({ where: target ?? site.transport, why: site.whyNot(fault, phase) }));
  if (refusals.some(({ why }) => why === undefined)) return undefined;
  const reasons = [...new Set(refusals.map(({ where, why = '' }) => `on ${where}: ${why.replace(/\.$/, '')}`))];
  const possible = [...catalogue.values()].filter((one) => here.some(({ site }) => site.whyNot(one) === undefined));
  return new ToolquakeError('WRONG_CARRIER', {
    message: `Rule "${id}": the fault ${fault.type} cannot act ${reasons.join('; ')}.`,
    advice: `What can: ${possible.map(({ type }) => type).join(', ')}.`,
  });
}
