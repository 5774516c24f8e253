export type { Described, Peer, PeerEnd, PeerListener, PeerStats } from './contract.ts';
export { MOST_SDP_BYTES, WebRtc, type WebRtcOptions } from './peers.ts';
