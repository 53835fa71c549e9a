export { callTool } from './call-tool.js';
export { clearRules } from './clear-rules.js';
export { restorePool } from './restore-pool.js';
