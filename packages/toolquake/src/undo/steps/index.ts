export { iptablesChain } from './iptables-chain.js';
export { nftTable } from './nft-table.js';
