export type { DescribedPeer, LaneRef, Peer, PeerEnd, PeerListener, PeerRate, PeerStats } from './contract.ts';
export { MOST_SDP_BYTES } from './peer-connection.ts';
export { type WebRtcOptions, WebRtcService } from './webrtc-service.ts';
