import type { DataChannel, PeerConnection, Track } from 'node-datachannel';
import type { PeerFormat, PeerPlan } from '../protocol.ts';
import { MAX_MESSAGE_BYTES } from './channel.ts';
import { OPUS_WISHES, offeredFormats } from './formats.ts';
import type { Library } from './library.ts';
import { checkable, isCandidate, outgoing, readDescription } from './sdp.ts';

export interface TransportOut {
  described(sdp: string, channel: boolean): void;
  connected(): void;
  /**
   * `failed` means that no path to the remote side is left, `closed` that the remote side has ended the connection.
   */
  lost(why: 'failed' | 'closed'): void;
  packet(packet: Buffer): void;
  channel(channel: DataChannel): void;
}

export interface CachedChannel {
  readonly id: number;
  readonly label: string;
}

const STREAM = 'agent';
const OUR_MID = '0';
/** Host candidates are there at once; only a STUN server takes longer, and no call waits for it beyond this. */
const GATHERING_MS = 2_000;

export class Transport {
  readonly #connection: PeerConnection;
  readonly #plan: PeerPlan;
  readonly #out: TransportOut;
  readonly #track: Track;
  #described: { readonly channel: boolean; readonly by: number } | null = null;
  #closed = false;
  format: PeerFormat | null = null;

  constructor(
    library: Library,
    name: string,
    plan: PeerPlan,
    dataChannel: CachedChannel | null,
    out: TransportOut,
    now: number,
  ) {
    this.#plan = plan;
    this.#out = out;
    const offer = plan.offer === null ? null : readDescription(plan.offer, plan.opus);
    this.#connection = new library.PeerConnection(name, {
      iceServers: [...plan.stun],
      portRangeBegin: plan.ports.first,
      portRangeEnd: plan.ports.last,
      disableAutoNegotiation: true,
      maxMessageSize: MAX_MESSAGE_BYTES,
    });
    this.#listen();
    // The track comes before the remote description. Otherwise the answer names no source, and a browser plays
    // nothing.
    this.#track = this.#connection.addTrack(
      this.#audio(library, offer?.mid ?? OUR_MID, offer?.format ?? null),
    );
    this.#track.onMessage((packet) => this.#out.packet(packet));
    try {
      if (dataChannel !== null)
        out.channel(
          this.#connection.createDataChannel(dataChannel.label, { negotiated: true, id: dataChannel.id }),
        );
      this.#begin(offer?.channel ?? false, now);
      this.format = offer?.format ?? null;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  answered(sdp: string): void {
    this.format = readDescription(sdp, this.#plan.opus).format;
    this.#connection.setRemoteDescription(checkable(sdp), 'answer');
  }

  candidates(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.#closed || !isCandidate(line)) continue;
      try {
        this.#connection.addRemoteCandidate(line.replace(/^a=/, ''), this.#track.mid());
      } catch {
        // An unreadable candidate is skipped; others may connect.
      }
    }
  }

  send(packet: Buffer): void {
    if (!this.#closed && this.#track.isOpen()) this.#track.sendMessageBinary(packet);
  }

  tick(now: number): void {
    if (this.#described !== null && now >= this.#described.by) this.#describe();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
  }

  #listen(): void {
    const connection = this.#connection;
    connection.onGatheringStateChange((state) => {
      if (state === 'complete') this.#describe();
    });
    connection.onStateChange((state) => {
      if (this.#closed) return;
      if (state === 'connected') this.#out.connected();
      else if (state === 'failed' || state === 'closed') this.#out.lost(state);
    });
    connection.onDataChannel((channel) => this.#out.channel(channel));
  }

  #begin(channel: boolean, now: number): void {
    const { offer } = this.#plan;
    if (offer !== null) this.#connection.setRemoteDescription(checkable(offer), 'offer');
    this.#connection.setLocalDescription(offer === null ? 'offer' : 'answer');
    this.#described ??= { channel, by: now + GATHERING_MS };
  }

  #audio(library: Library, mid: string, agreed: PeerFormat | null): InstanceType<Library['Audio']> {
    const audio = new library.Audio(mid, 'SendRecv');
    const { codecs, keys } =
      agreed === null ? offeredFormats(this.#plan.opus) : { codecs: [agreed], keys: agreed.keys };
    for (const { codec, payloadType } of codecs) {
      if (codec === 'opus') audio.addOpusCodec(payloadType, OPUS_WISHES);
      else audio.addAudioCodec(payloadType, `${codec.toUpperCase()}/8000`);
    }
    for (const { type, clock } of keys === null ? [] : [keys].flat())
      audio.addAudioCodec(type, `telephone-event/${clock}`, '0-15');
    audio.addSSRC(this.#plan.source, STREAM, STREAM, STREAM);
    return audio;
  }

  #describe(): void {
    if (this.#closed || this.#described === null) return;
    const sdp = this.#connection.localDescription()?.sdp;
    if (sdp === undefined) return;
    const { channel } = this.#described;
    this.#described = null;
    this.#out.described(outgoing(sdp, this.#plan.address), channel);
  }
}
