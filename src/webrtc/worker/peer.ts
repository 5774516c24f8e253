import type { PeerConnection, Track } from 'node-datachannel';
import { type FromPeers, Kind, type PeerEnd, type PeerPlan, type PeerStats } from '../protocol.ts';
import { Channel, MAX_MESSAGE_BYTES } from './channel.ts';
import type { Library } from './library.ts';
import {
  type AudioFormat,
  checkable,
  DescriptionError,
  isCandidate,
  outgoing,
  readDescription,
} from './sdp.ts';
import { Sound } from './sound.ts';

export interface PeerOut {
  tell(message: FromPeers): void;
  send(kind: typeof Kind.audio | typeof Kind.data, payload: Buffer): void;
  /** The peer is no more. */
  over(): void;
}

type State =
  | { readonly kind: 'connecting'; readonly by: number }
  | { readonly kind: 'connected' }
  /** What was said last is still on its way out. */
  | { readonly kind: 'leaving'; readonly from: number; readonly by: number }
  | { readonly kind: 'over' };

const STREAM = 'agent';
const OUR_MID = '0';
const OUR_FORMAT: AudioFormat = { codec: 'pcmu', payloadType: 0, keysType: 101 };
/** Where no server of another network is asked, candidates are there at once; nobody waits longer for one. */
const GATHERING_MS = 2_000;
const LAST_WORDS_MS = 100;
const MOST_LAST_WORDS_MS = 500;

/** One peer connection: descriptions, sound and the data channel. */
export class Peer {
  readonly #connection: PeerConnection;
  readonly #plan: PeerPlan;
  readonly #out: PeerOut;
  readonly #source = Math.floor(Math.random() * 0xffff_fffe) + 1;
  #state: State;
  #track: Track | null = null;
  readonly channel: Channel;
  /** Null until a codec is agreed on. */
  sound: Sound | null = null;
  #described: { readonly channel: boolean; readonly by: number } | null = null;

  constructor(library: Library, name: string, plan: PeerPlan, out: PeerOut, now: number) {
    this.#plan = plan;
    this.#out = out;
    this.channel = new Channel({
      opened: () => out.tell({ type: 'channel_open' }),
      message: (bytes) => {
        if (!this.over) out.send(Kind.data, bytes);
      },
    });
    this.#state = { kind: 'connecting', by: now + plan.connectWithinMs };
    this.#connection = new library.PeerConnection(name, {
      iceServers: [...plan.stun],
      portRangeBegin: plan.ports.first,
      portRangeEnd: plan.ports.last,
      disableAutoNegotiation: true,
      maxMessageSize: MAX_MESSAGE_BYTES,
    });
    this.#listen();
    try {
      if (plan.offer === null) this.#offer(library, now);
      else this.#answer(library, plan.offer, now);
    } catch (error) {
      this.#refuse(error);
    }
  }

  get over(): boolean {
    return this.#state.kind === 'over';
  }

  /** The other side's answer to an offer of ours. */
  answered(sdp: string): void {
    try {
      const described = readDescription(sdp);
      this.#hear(described.audio);
      this.#connection.setRemoteDescription(checkable(sdp), 'answer');
    } catch (error) {
      this.#refuse(error);
    }
  }

  candidates(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.over || !isCandidate(line)) continue;
      try {
        this.#connection.addRemoteCandidate(line.replace(/^a=/, ''), this.#track?.mid() ?? OUR_MID);
      } catch {
        // One that can't be read is no way to the peer; there may be others.
      }
    }
  }

  tick(now: number): void {
    const state = this.#state;
    if (this.#described !== null && now >= this.#described.by) this.#describe();
    if (state.kind === 'connecting' && now >= state.by) this.end('never_connected');
    if (state.kind === 'connected' || state.kind === 'leaving') this.sound?.tick(now);
    if (state.kind === 'leaving' && (now >= state.by || (now >= state.from && this.channel.waiting === 0)))
      this.end('closed');
  }

  /** Ends once the last words are out. */
  leave(now: number): void {
    if (this.#state.kind !== 'connected') this.end('closed');
    else this.#state = { kind: 'leaving', from: now + LAST_WORDS_MS, by: now + MOST_LAST_WORDS_MS };
  }

  end(end: PeerEnd): void {
    if (this.over) return;
    this.#state = { kind: 'over' };
    this.sound?.leave();
    this.#out.tell({ type: 'ended', end, stats: this.#stats() });
    this.#connection.close();
    this.#out.over();
  }

  #listen(): void {
    const connection = this.#connection;
    connection.onGatheringStateChange((state) => {
      if (state === 'complete') this.#describe();
    });
    connection.onStateChange((state) => {
      if (state === 'connected' && this.#state.kind === 'connecting') {
        this.#state = { kind: 'connected' };
        this.#out.tell({ type: 'connected' });
      } else if (state === 'failed')
        this.end(this.#state.kind === 'connecting' ? 'never_connected' : 'failed');
      else if (state === 'closed') this.end('closed');
    });
    connection.onDataChannel((channel) => this.channel.take(channel));
  }

  #answer(library: Library, offer: string, now: number): void {
    const { mid, audio, channel } = readDescription(offer);
    // Before the remote description, or the answer names no source and a browser plays nothing.
    this.#addTrack(library, mid, audio);
    this.#hear(audio);
    this.#connection.setRemoteDescription(checkable(offer), 'offer');
    this.#connection.setLocalDescription('answer');
    this.#described ??= { channel, by: now + GATHERING_MS };
  }

  #offer(library: Library, now: number): void {
    this.#addTrack(library, OUR_MID, OUR_FORMAT);
    this.#connection.setLocalDescription('offer');
    this.#described ??= { channel: false, by: now + GATHERING_MS };
  }

  #addTrack(library: Library, mid: string, { codec, payloadType, keysType }: AudioFormat): void {
    const audio = new library.Audio(mid, 'SendRecv');
    audio.addAudioCodec(payloadType, `${codec.toUpperCase()}/8000`);
    if (this.#plan.offer === null) audio.addAudioCodec(8, 'PCMA/8000');
    if (keysType !== null) audio.addAudioCodec(keysType, 'telephone-event/8000', '0-15');
    audio.addSSRC(this.#source, STREAM, STREAM, STREAM);
    this.#track = this.#connection.addTrack(audio);
    this.#track.onMessage((packet) => this.sound?.receive(packet, performance.now()));
  }

  #hear(format: AudioFormat): void {
    this.sound = new Sound(format, this.#source, {
      heard: (pcm) => this.#out.send(Kind.audio, pcm),
      key: (digit) => this.#out.tell({ type: 'key', digit }),
      send: (packet) => {
        if (this.#track?.isOpen()) this.#track.sendMessageBinary(packet);
      },
      gone: () => this.end('closed'),
    });
  }

  #describe(): void {
    if (this.over || this.#described === null) return;
    const sdp = this.#connection.localDescription()?.sdp;
    if (sdp === undefined) return;
    const { channel } = this.#described;
    this.#described = null;
    this.#out.tell({ type: 'described', sdp: outgoing(sdp, this.#plan.address), channel });
  }

  #refuse(error: unknown): void {
    if (this.over) return;
    // The library says of a description that it can't read what a caller can't mend.
    const known = error instanceof DescriptionError ? error.message : 'the description can not be taken';
    this.#out.tell({ type: 'refused', message: known });
    this.end('failed');
  }

  #stats(): PeerStats {
    const sound = this.sound;
    const { received = 0, lost = 0, late = 0, concealed = 0 } = sound?.order ?? {};
    return { received, lost, late, concealed, sent: sound?.sent ?? 0, codec: sound?.codec ?? null };
  }
}
