export { holdSessions } from './hold-sessions.js';
export { load } from './load.js';
export { monitor } from './monitor.js';
export { rehearsal } from './rehearsal.js';
export { relay } from './relay.js';
export { restarts } from './restarts.js';
