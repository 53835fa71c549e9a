/** One script per fault: what the client does, and what both ends must really have seen, on whatever stage it is played. */
import { awkwardFaults } from './awkward-faults.js';
import { easyFaults } from './easy-faults.js';
import { lifecycleFaults } from './lifecycle-faults.js';
import { rpcFaults } from './rpc-faults.js';
import type { Scenario } from './scenario.js';
import { shapes } from './shapes.js';

/** Every script, in the order of the coverage table. */
export const scenarios: readonly Scenario[] = [...awkwardFaults, ...easyFaults, ...rpcFaults, ...lifecycleFaults, ...shapes];
