export { demo } from './demo.js';
export { faults } from './faults.js';
export { planCheck } from './plan-check.js';
export { planExplain } from './plan-explain.js';
export { proxyHttp } from './proxy-http.js';
export { proxyStdio } from './proxy-stdio.js';
export { report } from './report.js';
export { simulate } from './simulate.js';
