export { iptablesChain } from './iptables-chain.js';
export { nftTable } from './nft-table.js';
export { relayAdmin } from './relay-admin.js';
export { endProcess } from './end-process.js';
export { ensureRunning } from './ensure-running.js';
export { thawProcess } from './thaw-process.js';
