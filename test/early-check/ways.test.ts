import { checkScenarios } from './check-scenarios.js';
import { ways } from './ways.js';

checkScenarios(ways);
