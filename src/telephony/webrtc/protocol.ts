/** The protocol between the server and the peer process: frames of [length u32][peer u32][kind u8][payload]. */

export const Kind = {
  /** A message of the data channel as it came, or as it is to go. */
  data: 0x01,
  /** JSON: `ToPeers` or `FromPeers`. */
  control: 0x02,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export interface PeerPlan {
  /** An SDP offer to answer; null: this side offers. */
  readonly offer: string | null;
  /** Whether the engine speaks Opus. */
  readonly opus: boolean;
  /** The number of the stream that is sent (SSRC), as the description names it. */
  readonly source: number;
  readonly stun: readonly string[];
  readonly ports: { readonly first: number; readonly last: number };
  /** Stands in the description in place of this machine's own addresses. */
  readonly address: string | null;
  /** A connection that is not up by then never will be. */
  readonly connectWithinMs: number;
  /** A connection whose way is lost waits so long for another way (an ICE restart). */
  readonly restartWithinMs: number;
}

export type PeerCodec = 'opus' | 'pcmu' | 'pcma';

/** The negotiated format of the audio. */
export interface PeerFormat {
  readonly codec: PeerCodec;
  readonly payloadType: number;
  /** Telephone events; null: the other side takes none. */
  readonly keys: { readonly type: number; readonly clock: number } | null;
  /** The remote side accepts Opus in-band FEC (`repeats`) and DTX (`pauses`). */
  readonly repeats: boolean;
  readonly pauses: boolean;
}

export type ToPeers =
  | ({ readonly type: 'open' } & PeerPlan)
  /** The other side's description, of an offer of ours. */
  | { readonly type: 'answered'; readonly sdp: string }
  | { readonly type: 'candidates'; readonly lines: readonly string[] }
  /** The other side looks for another way: its new offer. */
  | { readonly type: 'restart'; readonly offer: string }
  /** Where the engine takes the packets of this peer, on this machine. */
  | { readonly type: 'sound'; readonly port: number }
  | { readonly type: 'close' };

export type PeerEnd = 'closed' | 'failed' | 'never_connected';

export type FromPeers =
  /** The event of peer 0: the process is up. */
  | { readonly type: 'ready' }
  | { readonly type: 'described'; readonly sdp: string; readonly channel: boolean }
  /** The offer or answer is none that can be taken. */
  | { readonly type: 'refused'; readonly message: string }
  /** `port`: where this peer's packets are taken from the engine. */
  | { readonly type: 'connected'; readonly format: PeerFormat; readonly port: number }
  /** The answer to a restart's offer; null: it can't be taken. */
  | { readonly type: 'restarted'; readonly sdp: string | null; readonly message: string }
  | { readonly type: 'channel_open' }
  /** Once, last. */
  | { readonly type: 'ended'; readonly end: PeerEnd };

export const HEAD_BYTES = 9;
/** A description, or a data channel's message: nothing is larger. */
export const MAX_PAYLOAD_BYTES = 512 * 1024;

export function frame(peer: number, kind: Kind, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + payload.length);
  bytes.writeUInt32LE(payload.length, 0);
  bytes.writeUInt32LE(peer, 4);
  bytes[8] = kind;
  bytes.set(payload, HEAD_BYTES);
  return bytes;
}

export const controlOf = (peer: number, message: ToPeers | FromPeers): Buffer =>
  frame(peer, Kind.control, Buffer.from(JSON.stringify(message)));

export type FrameHandler = (peer: number, kind: number, payload: Buffer) => void;

/** Cuts what a pipe brings into frames. Throws where the other side does not keep to the form. */
export class FrameReader {
  readonly #take: FrameHandler;
  #rest: Buffer = Buffer.alloc(0);

  constructor(take: FrameHandler) {
    this.#take = take;
  }

  /** A payload is valid only during the call that hands it on. */
  read(chunk: Buffer): void {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (bytes.length >= HEAD_BYTES) {
      const length = bytes.readUInt32LE(0);
      if (length > MAX_PAYLOAD_BYTES) throw new Error(`a frame of ${length} bytes`);
      const whole = HEAD_BYTES + length;
      if (bytes.length < whole) break;
      this.#take(bytes.readUInt32LE(4), bytes[8] as number, bytes.subarray(HEAD_BYTES, whole));
      bytes = bytes.subarray(whole);
    }
    this.#rest = Buffer.from(bytes);
  }
}
