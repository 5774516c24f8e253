/** What goes between the server and the process of the peers: frames of [length u32][peer u32][kind u8][payload]. */

export const Kind = {
  /** 160 samples of PCM16 at 8 kHz, both ways. */
  audio: 0x01,
  /** A message of the data channel as it came, or as it is to go. */
  data: 0x02,
  /** JSON: `ToPeers` or `FromPeers`. */
  control: 0x03,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export interface PeerPlan {
  /** An SDP offer to answer; null: this side offers. */
  readonly offer: string | null;
  readonly stun: readonly string[];
  readonly ports: { readonly first: number; readonly last: number };
  /** Stands in the description in place of this machine's own addresses. */
  readonly address: string | null;
  /** A connection that is not up by then never will be. */
  readonly connectWithinMs: number;
}

export type ToPeers =
  | ({ readonly type: 'open' } & PeerPlan)
  /** The other side's description, of an offer of ours. */
  | { readonly type: 'answered'; readonly sdp: string }
  | { readonly type: 'candidates'; readonly lines: readonly string[] }
  /** What was sent and not yet played is thrown away. */
  | { readonly type: 'clear' }
  | { readonly type: 'keys'; readonly digits: string }
  | { readonly type: 'close' };

/** Of one direction, as packets of 20 ms. */
export interface PeerStats {
  readonly received: number;
  readonly lost: number;
  readonly late: number;
  readonly concealed: number;
  readonly sent: number;
  readonly codec: 'pcmu' | 'pcma' | null;
}

export type PeerEnd = 'closed' | 'failed' | 'never_connected';

export type FromPeers =
  /** Of peer 0: the process is up. */
  | { readonly type: 'ready' }
  | { readonly type: 'described'; readonly sdp: string; readonly channel: boolean }
  /** The offer or answer is none that can be taken. */
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'connected' }
  | { readonly type: 'channel_open' }
  | { readonly type: 'key'; readonly digit: string }
  /** Once, last. */
  | { readonly type: 'ended'; readonly end: PeerEnd; readonly stats: PeerStats };

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

export type Taker = (peer: number, kind: number, payload: Buffer) => void;

/** Cuts what a pipe brings into frames. Throws where the other side does not keep to the form. */
export class FrameReader {
  readonly #take: Taker;
  #rest: Buffer = Buffer.alloc(0);

  constructor(take: Taker) {
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
