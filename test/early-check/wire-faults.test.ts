import { checkScenarios } from './check-scenarios.js';
import { wireFaults } from './wire-faults.js';

checkScenarios(wireFaults);
