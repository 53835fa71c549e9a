import { shapes } from './shapes.js';
import { checkScenarios } from './check-scenarios.js';

checkScenarios(shapes);
