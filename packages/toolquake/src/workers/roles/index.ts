export { monitor } from './monitor.js';
