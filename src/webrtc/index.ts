export type { Described, Peer, PeerEnd, PeerListener, PeerStats } from './contract.ts';
export { WebRtc, type WebRtcOptions } from './peers.ts';
