import { checkScenarios } from './check-scenarios.js';
import { loadFaults } from './load-faults.js';

checkScenarios(loadFaults);
