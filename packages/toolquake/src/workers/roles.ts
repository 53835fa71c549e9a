/** All roles of the worker program. */
import type { WorkerRole } from './worker.js';

/** In the order in which they were invented. */
export const ROLES: readonly WorkerRole[] = [];
