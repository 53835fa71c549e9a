/** The contract suite: what every fault promises, whoever wrote it. Call it first in a fault's test. */
import { describe, test } from 'vitest';
import type { Fault } from '../core/fault.js';
import { contractClauses, type FaultContractOptions } from './contract-clauses.js';

/** Declares the tests that every fault passes. */
export function faultContract(fault: Fault, options: FaultContractOptions): void {
  describe(`${fault.type} keeps the contract of faults:`, () => {
    for (const { promise, check } of contractClauses(fault, options)) test(promise, check);
  });
}
