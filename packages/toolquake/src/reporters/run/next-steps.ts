/** What to do next, by how a run ended and why; one sentence each. The same in every format. */
import type { RunDigest } from './run-digest.js';
import { endOf, whyNotBegun } from './run-story.js';

/** See the module comment. */
export function nextSteps(digest: RunDigest): readonly string[] {
  const { about } = digest;
  const end = endOf(digest);
  if (about?.isDryRun === true && (end === 'inconclusive' || end === 'not-injected')) return dryRunSteps(digest);
  switch (end) {
    case 'held':
      return about !== undefined && about.stage < about.stages
        ? [
            `Stage ${about.stage + 1} of ${about.stages}, with "--stage ${about.stage + 1}": this result opens it for this build and this fault.`,
          ]
        : [
            'Widen: a larger dose, a longer fault, another fault of the same dependency, or two at once. After three greens the same run says nothing new.',
          ];
    case 'violated':
      return ['Mend what the findings name, then run the same stage again: nothing wider opens before it holds.'];
    case 'aborted':
      return [abortedStep(digest)];
    case 'inconclusive':
      return [inconclusiveStep(digest)];
    case 'not-injected':
      return [`Nothing was tested. ${unhitStep(digest) ?? DOCTOR}`];
    case 'undo-failed':
      return [
        `Put it back now: "toolquake undo ${about?.run ?? 'RUN'}" tries again, "toolquake leftovers" lists what is open. No other run starts before.`,
      ];
    case 'unfinished':
      return ['"toolquake leftovers" says whether anything was left behind; "toolquake undo" takes it back.'];
  }
}

const DOCTOR = '"toolquake doctor" says which actions work on this host and why not.';

/** Rules that are in place and hit nothing. */
function unhitStep({ actions, figures }: RunDigest): string | undefined {
  const unhit = actions.find(({ blast, onMs, state }) => blast === 'calls' && onMs !== undefined && state !== 'failed');
  if (unhit === undefined || figures.faultedCalls > 0) return undefined;
  return `See whether calls match the rules of "${unhit.id}", and pass the place where these are.`;
}

function dryRunSteps(digest: RunDigest): readonly string[] {
  if (endOf(digest) === 'not-injected') return [`What cannot be done here was found without changing anything. ${DOCTOR}`];
  if (digest.preconditions.list.some(({ isMet }) => !isMet)) return [inconclusiveStep(digest)];
  return ['This was a dry run: nothing was injected, and it opens no stage. Run it without "--dry-run".'];
}

function abortedStep({ trips, stops }: RunDigest): string {
  if (trips.list.some(({ isBlind }) => !isBlind))
    return 'A tripwire ended it before the faults could show more. Find out why before you try again, with a smaller dose.';
  if (stops.list[0]?.isAsked === true)
    return 'It was stopped before it could say anything. Run the same stage again when the reason for that is gone.';
  return 'What it may do, or what keeps it safe, ended it: see to that first ("limits" are in the file), then run the same stage again.';
}

function inconclusiveStep(digest: RunDigest): string {
  const { preconditions, stops, trips, moments } = digest;
  const why = whyNotBegun(digest);
  if (preconditions.list.some(({ isMet }) => !isMet))
    return `Nothing was injected, as ${why ?? 'a precondition was not met'}: see to that, then run it again.`;
  if (why !== undefined)
    return `Nothing was injected, as ${why}. Find out why, or whether a rule of the steady state asks for too much, then run it again.`;
  if (stops.count > 0) return 'A limit ended it before enough calls were hit: raise it ("limits" in the file), then run it again.';
  if (trips.count > 0) return 'Give the tripwires more to see: a longer window, or more calls.';
  if (!moments.wasProbed) return 'See why no probe looked at the target during the fault: without one nobody can say how it was.';
  if (moments.recoveredMs === undefined)
    return 'Watch it for longer after the undo ("times.after", "recoverWithin"), until every rule has held for its whole window.';
  return 'Let it run longer or with more calls, until the faulted lane has enough of them to say something.';
}
