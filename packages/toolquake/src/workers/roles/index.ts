export { load } from './load.js';
export { monitor } from './monitor.js';
export { relay } from './relay.js';
