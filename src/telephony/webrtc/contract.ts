/** Calls by WebRTC as those see them who carry one. */
import type { PeerEnd as EndOfPeer, PeerCodec } from './protocol.ts';

export type { PeerCodec } from './protocol.ts';

/** `process_gone`: by a fault of ours. */
export type PeerEnd = EndOfPeer | 'process_gone';

/** Samples a second on this side: what Opus carries is wide, G.711 narrow. */
export type PeerRate = 8000 | 24_000;

/** The statistics of the network path. Counts are packets. */
export interface PeerStats {
  readonly codec: PeerCodec | null;
  readonly received: number;
  readonly lost: number;
  readonly late: number;
  /** Lost ones whose sound came out of the packet behind them. */
  readonly recovered: number;
  /** The duration of concealed audio. */
  readonly concealedMs: number;
  readonly playedMs: number;
  /** How long sound waited, of the last of it. */
  readonly waitMs: number;
  readonly sent: number;
}

/** A lane of the engine, whose sound a call may be joined with. */
export interface LaneRef {
  readonly slot: number;
  readonly generation: number;
}

export interface PeerListener {
  /** Sound goes both ways from now on. */
  connected(rate: PeerRate): void;
  /** PCM16 of the other side at the call's rate, unless a lane is joined; valid only during the call. */
  audio(pcm: Uint8Array): void;
  /** The other side's data channel is open. */
  channelOpen?(): void;
  /** A message of the data channel; valid only during the call. What comes before `connected` follows it. */
  data?(bytes: Uint8Array): void;
  /** A key that the other side pressed, told once. */
  key?(digit: string): void;
  /** Once, last; not told of a description that was refused. */
  ended(end: PeerEnd, stats: PeerStats): void;
}

export interface Peer {
  /** PCM16 at the call's rate; sent by the media clock, at most 2 s ahead. */
  send(pcm: Uint8Array): void;
  /** A message for the other side's data channel; lost while that is not open. */
  data(bytes: Uint8Array): void;
  /** Throws away what was sent and not yet played. */
  clear(): void;
  /** As telephone events, where the other side takes them. */
  press(digits: string): void;
  /** Sound goes between the other side and this lane of the engine, and no way through here; null: no more. */
  join(lane: LaneRef | null): void;
  /** The other side's answer to an offer of ours. */
  answered(sdp: string): void;
  /** Further ways to the other side, as lines of SDP. */
  candidates(lines: readonly string[]): void;
  /** Answers the offer of an ICE restart: the call goes on by the new way once that is up. Rejects with ApiError. */
  restart(offer: string): Promise<string>;
  /** `ended` follows. */
  close(): void;
}

export interface DescribedPeer {
  readonly peer: Peer;
  /** The SDP for the remote side. */
  readonly sdp: string;
  /** The other side wants a data channel. */
  readonly channel: boolean;
}
