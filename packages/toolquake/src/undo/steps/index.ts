export { endProcess } from './end-process.js';
export { ensureRunning } from './ensure-running.js';
export { iptablesChain } from './iptables-chain.js';
export { nftTable } from './nft-table.js';
export { qdisc } from './qdisc.js';
export { relayAdmin } from './relay-admin.js';
export { thawProcess } from './thaw-process.js';
