import { checkScenarios } from './check-scenarios.js';
import { rpcFaults } from './rpc-faults.js';

checkScenarios(rpcFaults);
