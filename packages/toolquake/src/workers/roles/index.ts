export { load } from './load.js';
export { monitor } from './monitor.js';
