/** Calls by WebRTC as those see them who carry one. */
import type { PeerEnd as EndOfPeer, PeerStats } from './protocol.ts';

export type { PeerStats } from './protocol.ts';

/** `process_gone`: by a fault of ours. */
export type PeerEnd = EndOfPeer | 'process_gone';

export interface PeerListener {
  /** Sound goes both ways from now on. */
  connected(): void;
  /** PCM16 at 8 kHz of the other side; valid only during the call. */
  audio(pcm: Uint8Array): void;
  /** The other side's data channel is open. */
  channelOpen?(): void;
  /** A message of the data channel; valid only during the call. */
  data?(bytes: Uint8Array): void;
  /** A key that the other side pressed, told once. */
  key?(digit: string): void;
  /** Once, last; not told of a description that was refused. */
  ended(end: PeerEnd, stats: PeerStats): void;
}

export interface Peer {
  /** PCM16 at 8 kHz, whole frames of 20 ms. */
  send(pcm: Uint8Array): void;
  /** A message for the other side's data channel; lost while that is not open. */
  data(bytes: Uint8Array): void;
  /** Throws away what was sent and not yet played. */
  clear(): void;
  /** As telephone events. */
  press(digits: string): void;
  /** The other side's answer to an offer of ours. */
  answered(sdp: string): void;
  /** Further ways to the other side, as lines of SDP. */
  candidates(lines: readonly string[]): void;
  /** `ended` follows. */
  close(): void;
}

export interface Described {
  readonly peer: Peer;
  /** For the other side. */
  readonly sdp: string;
  /** The other side wants a data channel. */
  readonly channel: boolean;
}
