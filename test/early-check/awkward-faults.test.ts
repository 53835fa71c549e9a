import { awkwardFaults } from './awkward-faults.js';
import { checkScenarios } from './check-scenarios.js';

checkScenarios(awkwardFaults);
