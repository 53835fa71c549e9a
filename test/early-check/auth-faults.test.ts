import { checkScenarios } from './check-scenarios.js';
import { authFaults } from './auth-faults.js';

checkScenarios(authFaults);
