/** The caller's telephone over SIP and RTP is written for the benchmark alone: G.711, with random packet loss. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import {
  type CallTransport,
  type CallTransportListener,
  FRAME_SAMPLES,
  fromUlaw,
  SeededRandom,
  toUlaw,
} from '../../src/apps/caller/index.ts';
import { NUMBER, OURS, THEIRS } from './trunk.ts';

const HEADER = 12;
const AGAIN_MS = 500;
/** The server runs on the same machine and takes up to a second to answer where the machine is busy. */
const ANSWERED_WITHIN_MS = 10_000;

export interface Loss {
  readonly share: number;
  readonly seed: number;
}

export class SipWire implements CallTransport {
  readonly #loss: Loss;
  readonly #chance: SeededRandom;
  readonly #signalling: Socket = createSocket('udp4');
  readonly #sound: Socket = createSocket('udp4');
  readonly #name = Math.random().toString(36).slice(2);
  readonly #callId = `${this.#name}@caller`;
  #to = `<sip:${NUMBER}@127.0.0.1:${OURS}>`;
  #towards = 0;
  #number = 0;
  #gone = (): void => undefined;
  #isFree = false;

  constructor(loss: Loss = { share: 0, seed: 1 }) {
    this.#loss = loss;
    this.#chance = new SeededRandom(loss.seed);
  }

  async open(listener: CallTransportListener): Promise<void> {
    this.#signalling.bind(THEIRS, '127.0.0.1');
    this.#sound.bind(0, '127.0.0.1');
    await Promise.all([once(this.#signalling, 'listening'), once(this.#sound, 'listening')]);
    this.#sound.on('message', (packet) => this.#heard(packet, listener));
    const answered = new Promise<void>((resolve, reject) => {
      this.#signalling.on('message', (bytes) =>
        this.#reported(bytes.toString('latin1'), listener, resolve, reject),
      );
    });
    await this.#until(answered, 'INVITE', this.#request('INVITE', 1, this.#description()));
  }

  audio(frame: Int16Array): void {
    const packet = Buffer.alloc(HEADER + frame.length);
    packet.writeUInt8(0x80, 0);
    packet.writeUInt16BE(this.#number & 0xffff, 2);
    packet.writeUInt32BE((this.#number * FRAME_SAMPLES) >>> 0, 4);
    packet.writeUInt32BE(0x5eed, 8);
    for (const [at, sample] of frame.entries()) packet[HEADER + at] = toUlaw(sample);
    this.#number++;
    if (!this.#isLost()) this.#sound.send(packet, this.#towards, '127.0.0.1');
  }

  control(): void {
    throw new Error('a telephone call carries audio alone: it takes no control messages of its own');
  }

  press(): void {
    throw new Error('this telephone has no keys');
  }

  async close(): Promise<void> {
    if (this.#isFree) return;
    const gone = new Promise<void>((resolve) => {
      this.#gone = resolve;
    });
    await this.#until(gone, 'BYE', this.#request('BYE', 2));
    this.#free();
  }

  async #until(answered: Promise<void>, method: string, request: string): Promise<void> {
    const again = setInterval(() => this.#notify(request), AGAIN_MS);
    let late: NodeJS.Timeout | undefined;
    const nobody = new Promise<never>((_, reject) => {
      const why = new Error(`nobody answered ${method} within ${ANSWERED_WITHIN_MS / 1000} s`);
      late = setTimeout(() => reject(why), ANSWERED_WITHIN_MS);
    });
    this.#notify(request);
    try {
      await Promise.race([answered, nobody]);
    } catch (error) {
      this.#free();
      throw error;
    } finally {
      clearInterval(again);
      clearTimeout(late);
    }
  }

  #free(): void {
    if (this.#isFree) return;
    this.#isFree = true;
    this.#signalling.close();
    this.#sound.close();
  }

  #isLost(): boolean {
    return this.#loss.share > 0 && this.#chance.next() < this.#loss.share;
  }

  #heard(packet: Buffer, listener: CallTransportListener): void {
    const isSound = packet.length > HEADER && ((packet[1] as number) & 0x7f) === 0;
    if (isSound && !this.#isLost()) listener.onAudio(Int16Array.from(packet.subarray(HEADER), fromUlaw));
  }

  #reported(
    text: string,
    listener: CallTransportListener,
    answered: () => void,
    refused: (error: Error) => void,
  ): void {
    const [first = ''] = text.split('\r\n', 1);
    if (first.startsWith('BYE ')) {
      const stored = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line));
      const answer = ['SIP/2.0 200 OK', ...stored, 'Content-Length: 0', '', ''].join('\r\n');
      this.#signalling.send(answer, OURS, '127.0.0.1', () => this.#free());
      listener.onClose(1000);
      return;
    }
    const status = Number(/^SIP\/2\.0 ([0-9]{3})/.exec(first)?.[1] ?? 0);
    if (/^CSeq: *[0-9]+ BYE/im.test(text)) this.#gone();
    else if (status >= 300) refused(new Error(first));
    else if (status >= 200) {
      this.#to = /^To: *(.*)$/im.exec(text)?.[1]?.trim() ?? this.#to;
      this.#towards = Number(/^m=audio ([0-9]+)/m.exec(text)?.[1]);
      this.#notify(this.#request('ACK', 1));
      answered();
    }
  }

  #description(): string {
    const { port } = this.#sound.address();
    const lines = ['v=0', 'o=a 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'];
    return [...lines, `m=audio ${port} RTP/AVP 0`, ''].join('\r\n');
  }

  #request(method: string, sequence: number, body = ''): string {
    return [
      `${method} sip:${NUMBER}@127.0.0.1:${OURS} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${THEIRS};branch=z9hG4bK${this.#name}${method}`,
      `From: <sip:+14155550177@127.0.0.1:${THEIRS}>;tag=a`,
      `To: ${this.#to}`,
      `Call-ID: ${this.#callId}`,
      `CSeq: ${sequence} ${method}`,
      `Contact: <sip:caller@127.0.0.1:${THEIRS}>`,
      'Max-Forwards: 70',
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  }

  #notify(text: string): void {
    this.#signalling.send(text, OURS, '127.0.0.1');
  }
}
