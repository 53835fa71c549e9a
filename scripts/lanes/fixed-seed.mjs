// Property tests draw the same cases in every run, so that a red run means a change and not bad luck.
// To look for new cases: PROPERTY_SEED=$RANDOM npx vitest run packages/sdk/src/core
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 20_261_118) });
