import { checkScenarios } from './check-scenarios.js';
import { httpFaults } from './http-faults.js';

checkScenarios(httpFaults);
