/** Does the server show what its lock file promises? Pure. */
import { blocks } from '../manifest/verdict.js';
import type { DiffReport } from '../manifest/render/report.js';
import { levelCounts } from '../manifest/render/report.js';
import { failed, passed } from './outcome.js';
import type { SmokeOutcome } from './smoke-report.js';

const MAX_NAMED = 3;

/** From a diff between the lock and the server to the outcome of a step. */
export function judgeManifest(diff: DiffReport, tools: number): SmokeOutcome {
  const blocking = diff.findings.filter((finding) => blocks(finding, diff.isStrict));
  const named = blocking.slice(0, MAX_NAMED).map(({ subject, says, pointer }) => `${subject}: ${says.replace(/\.$/, '')} (${pointer})`);
  const more = blocking.length > MAX_NAMED ? ` and ${blocking.length - MAX_NAMED} more` : '';
  const what = `${named.join('; ')}${more}`;
  switch (diff.verdict) {
    case 'incompatible':
      return failed('manifest_breaking', what, `Roll back, or accept the change: toolquake diff ${diff.oldName} shows all of it.`);
    case 'undecided':
      return {
        ...failed('manifest_changed', `nobody can tell whether this breaks clients: ${what}`, 'Look at it, and waive it with --waivers.'),
        state: 'inconclusive',
      };
    case 'compatible': {
      const counts = levelCounts(diff.findings).map(([level, count]) => `${count} ${level}`);
      const waived = diff.findings.filter(({ waiver }) => waiver?.isExpired === false).length;
      const changes = counts.length === 0 ? 'as locked' : `compatible with the lock: ${counts.join(', ')}`;
      return passed(`${tools} tools, ${changes}${waived === 0 ? '' : ` (${waived} waived)`}`);
    }
  }
}
