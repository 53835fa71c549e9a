import { checkScenarios } from './check-scenarios.js';
import { registryFaults } from './registry-faults.js';

checkScenarios(registryFaults);
