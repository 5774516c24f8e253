export type { Described, LaneRef, Peer, PeerEnd, PeerListener, PeerRate, PeerStats } from './contract.ts';
export { MOST_SDP_BYTES } from './one-peer.ts';
export { WebRtc, type WebRtcOptions } from './peers.ts';
