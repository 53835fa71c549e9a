export * from './errors.js';
export * from './describe-problem.js';
export * from './nearest-word.js';
export * from './message.js';
export * from './json-head.js';
export * from './frame.js';
export * from './name-header.js';
export * from './session.js';
export * from './tool-list.js';
export * from './tool-result.js';
export * from './header-value.js';
export * from './tool-book.js';
export * from './data-path.js';
export * from './output-schema.js';
export * from './schema-verdict.js';
export * from './changed-answer.js';
export * from './value-form.js';
export * from './wrong-value.js';
export * from './effect.js';
export * from './event.js';
export * from './params.js';
export * from './fault.js';
export * from './random.js';
export * from './keyed-hash.js';
export * from './mersenne-twister.js';
export * from './plan.js';
export * from './plan-keys.js';
export * from './match.js';
export * from './schedule.js';
export * from './data-change.js';
export * from './control-entry.js';
export * from './journal.js';
export * from './mark-sequence.js';
export * from './clock.js';
export * from './event-stream.js';
export * from './batch.js';
export * from './call-key.js';
export * from './call-hints.js';
export * from './call-outcome.js';
export * from './engagement.js';
export * from './compose.js';
export * from './decide.js';
export * from './perform.js';
export * from './stream-performer.js';
export { openStream, STREAM_METHOD } from './streams.js';
export * from './metrics.js';
export * from './interval.js';
export * from './verdict-rates.js';
export {
  createValueReader,
  describeValue,
  member,
  parseDuration,
  pathText,
  type NumberRange,
  type PlanPath,
  type PlanProblem,
  type ValueReader,
} from './check-value.js';
export { highestRate } from './check-schedule.js';
export * from './check-plan.js';
export * from './sketch.js';
