import { checkScenarios } from './check-scenarios.js';
import { lifecycleFaults } from './lifecycle-faults.js';

checkScenarios(lifecycleFaults);
