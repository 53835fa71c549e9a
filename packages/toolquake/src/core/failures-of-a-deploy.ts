/** Reasons that only a gate after a deployment can find: it knows what was to be deployed. Pure. */
import { rows } from './failure-row.js';

export const FAILURES_OF_A_DEPLOY = rows('deploy', {
  deploy_wrong_version: [
    'down',
    '',
    'Another version answers than the one that was deployed.',
    'Check the tag of the image and whether the old process still holds the port.',
  ],
  deploy_mixed: [
    'degraded',
    '',
    'Several versions answer behind one address.',
    'Finish the roll-out or take it back, and look for replicas that did not restart.',
  ],
  deploy_auth_open: [
    'down',
    'auth_error',
    'The server answers without credentials.',
    'Turn authentication on: nobody without a token may list or call tools.',
  ],
  deploy_too_slow: [
    'down',
    'timeout slow',
    'A step of the smoke test took longer than its budget.',
    'Look at cold starts and dependencies; where the time is justified, raise the budget with --budget.',
  ],
});
