/** Exclusions, conditions, and words whose meaning depends on everything around them. */
import { canonicalText } from '../canonical.js';
import { descend, isCovered, tell, type Place } from './walk.js';

/** Compares `not`, `if` and the words that nobody can compare piece by piece. */
export function compareConditions(place: Place): void {
  compareExclusion(place);
  compareCondition(place);
  for (const word of ['unevaluatedProperties', 'unevaluatedItems']) {
    const isSilent = [place.before[word], place.after[word]].every((schema) => schema === undefined || schema === true);
    // It speaks about what no other word has looked at: any change beside it may be a change of it.
    if (!isSilent && !isSameBeside(place)) tell(place, 'unevaluated-changed', [word], place.before[word], place.after[word]);
  }
}

const isSameBeside = ({ before, after }: Place): boolean => canonicalText(before) === canonicalText(after);

function compareExclusion(place: Place): void {
  const [before, after] = [place.before['not'], place.after['not']];
  if (before === undefined && after === undefined) return;
  if (before === undefined) return tell(place, 'not-added', ['not'], undefined, after);
  if (after === undefined) return tell(place, 'not-removed', ['not'], before);
  const excludesNoLess = isCovered(place, before, after);
  const excludesNoMore = isCovered(place, after, before, { isReversed: true });
  if (excludesNoLess && excludesNoMore) return;
  tell(place, excludesNoMore ? 'not-removed' : excludesNoLess ? 'not-added' : 'not-changed', ['not'], before, after);
}

function compareCondition(place: Place): void {
  const [before, after] = [place.before, place.after].map((words) => ('then' in words || 'else' in words ? words['if'] : undefined));
  if (before === undefined && after === undefined) return;
  if (before === undefined) return tell(place, 'condition-added', ['if'], undefined, after);
  if (after === undefined) return tell(place, 'condition-removed', ['if'], before);
  const isSame = isCovered(place, before, after) && isCovered(place, after, before, { isReversed: true });
  if (!isSame) return tell(place, 'condition-changed', ['if'], before, after);
  for (const word of ['then', 'else']) descend(place, place.before[word], place.after[word], [word]);
}
