import { easyFaults } from './easy-faults.js';
import { checkScenarios } from './check-scenarios.js';

checkScenarios(easyFaults);
