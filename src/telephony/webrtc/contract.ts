import type { PeerEnd as EndOfPeer, PeerCodec } from './protocol.ts';

export type { PeerCodec } from './protocol.ts';

/** `process_gone` is a fault on this side. */
export type PeerEnd = EndOfPeer | 'process_gone';

/** Samples per second on this side: 24 kHz with Opus, 8 kHz with G.711. */
export type PeerRate = 8000 | 24_000;

export interface PeerStats {
  readonly codec: PeerCodec | null;
  readonly received: number;
  readonly lost: number;
  readonly late: number;
  /** Lost packets whose audio was recovered from the next packet (in-band FEC). */
  readonly recovered: number;
  readonly concealedMs: number;
  readonly playedMs: number;
  readonly waitMs: number;
  readonly sent: number;
}

export interface LaneRef {
  readonly slot: number;
  readonly generation: number;
}

export interface PeerListener {
  connected(rate: PeerRate): void;
  audio(pcm: Uint8Array): void;
  channelOpen?(): void;
  /** The bytes are valid only during the call. Messages from before `connected` follow it. */
  data?(bytes: Uint8Array): void;
  key?(digit: string): void;
  /** The last event, sent once. A refused description sends none. */
  ended(end: PeerEnd, stats: PeerStats): void;
}

export interface Peer {
  /** PCM16 at the call's rate; sent by the media clock, at most 2 s ahead. */
  send(pcm: Uint8Array): void;
  /** A string goes as text. The message is lost while the data channel is not open. */
  data(message: Uint8Array | string): void;
  clear(): void;
  /** The digits go as telephone events (RFC 4733), if the remote side accepts them. */
  press(digits: string): void;
  /** Joins the remote side with this lane inside the engine, so that no audio passes through here; null ends that. */
  join(lane: LaneRef | null): void;
  answered(sdp: string): void;
  candidates(lines: readonly string[]): void;
  /**
   * Answers the offer of an ICE restart. The call moves to the new path once that is connected. Rejects with
   * ApiError.
   */
  restart(offer: string): Promise<string>;
  /** `ended` follows. */
  close(): void;
}

export interface DescribedPeer {
  readonly peer: Peer;
  readonly sdp: string;
  readonly channel: boolean;
}
