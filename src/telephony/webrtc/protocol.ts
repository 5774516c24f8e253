/** The protocol between the server and the peer process: frames of [length u32][peer u32][kind u8][payload]. */

export const Kind = {
  /** The payload is a binary message of the data channel. */
  data: 0x01,
  /** JSON: `ToPeers` or `FromPeers`. */
  control: 0x02,
  /** The payload is a text message of the data channel. */
  text: 0x03,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export interface PeerPlan {
  readonly offer: string | null;
  readonly opus: boolean;
  /** The SSRC of the stream that is sent, as the description names it. */
  readonly source: number;
  readonly stun: readonly string[];
  readonly ports: { readonly first: number; readonly last: number };
  /** The address replaces this machine's own addresses in the description. */
  readonly address: string | null;
  readonly connectWithinMs: number;
  /** A connection that has lost its path waits this long for an ICE restart. */
  readonly restartWithinMs: number;
}

export type PeerCodec = 'opus' | 'pcmu' | 'pcma';

export interface PeerFormat {
  readonly codec: PeerCodec;
  readonly payloadType: number;
  /** Null means that the remote side accepts no telephone events. */
  readonly keys: { readonly type: number; readonly clock: number } | null;
  /** The remote side accepts Opus in-band FEC (`repeats`) and DTX (`pauses`). */
  readonly repeats: boolean;
  readonly pauses: boolean;
}

export type ToPeers =
  | ({ readonly type: 'open' } & PeerPlan)
  | { readonly type: 'answered'; readonly sdp: string }
  | { readonly type: 'candidates'; readonly lines: readonly string[] }
  | { readonly type: 'restart'; readonly offer: string }
  /** The engine's port on this machine for the packets of this peer. */
  | { readonly type: 'sound'; readonly port: number }
  | { readonly type: 'close' };

export type PeerEnd = 'closed' | 'failed' | 'never_connected';

export type FromPeers =
  /** The event of peer 0: the process is up. */
  | { readonly type: 'ready' }
  | { readonly type: 'described'; readonly sdp: string; readonly channel: boolean }
  | { readonly type: 'refused'; readonly message: string }
  /** `port` is where the peer process receives this peer's packets from the engine. */
  | { readonly type: 'connected'; readonly format: PeerFormat; readonly port: number }
  /** The SDP is null when the offer of the restart can't be used. */
  | { readonly type: 'restarted'; readonly sdp: string | null; readonly message: string }
  | { readonly type: 'channel_open' }
  /** The last event, sent once. */
  | { readonly type: 'ended'; readonly end: PeerEnd };

export const HEAD_BYTES = 9;
/** The bound is above the largest description and the largest data channel message. */
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

export class FrameReader {
  readonly #take: FrameHandler;
  #rest: Buffer = Buffer.alloc(0);

  constructor(take: FrameHandler) {
    this.#take = take;
  }

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
