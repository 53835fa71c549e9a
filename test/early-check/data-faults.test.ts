import { checkScenarios } from './check-scenarios.js';
import { dataFaults } from './data-faults.js';

checkScenarios(dataFaults);
