/** docs/failure-reasons.md, from the table that the product itself uses. */
import { FAILURE_REASONS, failureReasons, type ReasonEntry } from '../core/failure-reason.js';

/** The page. `startable` says which reasons `toolquake fixture` can show. */
export function failureReasonsPage(startable: ReadonlySet<string>): string {
  const rows = failureReasons.map((name) => {
    const { group, state, alias, about, act }: ReasonEntry = FAILURE_REASONS[name];
    return `| \`${name}\` | ${group} | ${state} | ${alias.join(', ')} | ${startable.has(name) ? 'yes' : ''} | ${about} | ${act} |`;
  });
  return `# Failure reasons

<!-- Generated from packages/toolquake/src/core/failure-reason.ts. Update: npx vitest run packages/toolquake/src/reporters/failure-reasons.test.ts -u -->

Every failure of \`toolquake probe\` has one reason from this list: that of the first step that failed, of the worst kind found. Names are stable; aliases are coarser words for routing.

States: **down**; **degraded**; **walled** (reachable, credentials needed); **unknown** (our own side failed: nothing was learnt about the target); **warning** (the target stays up). Fixture: \`toolquake fixture REASON\` starts a server that shows it.

| reason | group | state | alias | fixture | what it means | what to do |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
