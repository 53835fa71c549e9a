/** Every reason that a server or the path to it can show. Reasons of the prober's own side have no server. */
import type { FailureReason } from '../core/failure-reason.js';
import type { Ailments, StdioAilments } from './ailment.js';
import { eraAilments } from './era.js';
import { networkAilments } from './network.js';
import { protocolAilments } from './protocol.js';
import { stdioAilments } from './stdio.js';
import { tlsAilments } from './tls.js';

/** Over HTTP. */
export const ailments: Ailments = { ...networkAilments, ...tlsAilments, ...protocolAilments, ...eraAilments };

/** On stdio. */
export const ailmentsOnStdio: StdioAilments = stdioAilments;

/** All that can be started. */
export const startableReasons: readonly FailureReason[] =
  // The keys of tables by reason, which Object.keys types as any text.
  [...Object.keys(ailments), ...Object.keys(ailmentsOnStdio)] as FailureReason[];
