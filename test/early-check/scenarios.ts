/** One script per fault: what the client does, and what both ends must really have seen, on whatever stage it is played. */
import { authFaults } from './auth-faults.js';
import { awkwardFaults } from './awkward-faults.js';
import { dataFaults } from './data-faults.js';
import { easyFaults } from './easy-faults.js';
import { httpFaults } from './http-faults.js';
import { lifecycleFaults } from './lifecycle-faults.js';
import { loadFaults } from './load-faults.js';
import { registryFaults } from './registry-faults.js';
import { rpcFaults } from './rpc-faults.js';
import type { Scenario } from './scenario.js';
import { shapes } from './shapes.js';
import { wireFaults } from './wire-faults.js';

/** Every script, in the order of the coverage table. */
export const scenarios: readonly Scenario[] = [
  ...awkwardFaults,
  ...easyFaults,
  ...dataFaults,
  ...registryFaults,
  ...loadFaults,
  ...wireFaults,
  ...httpFaults,
  ...authFaults,
  ...rpcFaults,
  ...lifecycleFaults,
  ...shapes,
];
