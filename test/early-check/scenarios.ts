/** One script per fault: what the client does, and what both ends must really have seen, on whatever stage it is played. */
import { awkwardFaults } from './awkward-faults.js';
import { dataFaults } from './data-faults.js';
import { easyFaults } from './easy-faults.js';
import type { Scenario } from './scenario.js';
import { shapes } from './shapes.js';

/** Every script, in the order of the coverage table. */
export const scenarios: readonly Scenario[] = [...awkwardFaults, ...easyFaults, ...dataFaults, ...shapes];
