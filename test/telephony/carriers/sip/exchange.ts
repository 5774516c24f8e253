/** The called number decides what this SIP peer does. It is written from the RFCs, without a SIP stack. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { convertAudio } from '../../../../src/media/engine/index.ts';
import { silence, tone } from '../../../../src/telephony/carriers/index.ts';

export const WHO = {
  answers: '+15005550001',
  busy: '+15005550002',
  silent: '+15005550003',
  declines: '+15005550008',
  presses: '+15005550020',
  /** This one takes no telephone events: its keys are in-band tones. */
  plain: '+15005550021',
  echoes: '+15005550022',
  unwanted: '+15005550024',
} as const;

const ADDRESS = '127.0.0.1';
const EVENTS = 101;
const REFUSED: Readonly<Record<string, string>> = {
  [WHO.busy]: '486 Busy Here',
  [WHO.declines]: '603 Decline',
};
/** A key has one packet every 20 ms; the last three have the end bit set. */
const KEY_PACKETS = 6;
const PACKET_MS = 20;
const FRAME = 160;
const IN_SOUND = [tone([770, 1336], 100), silence(100), tone([852, 1209], 100), silence(2700)];

interface Dialog {
  readonly invite: string;
  readonly sound: Socket;
  readonly towards: number;
  timer: NodeJS.Timeout | undefined;
  sequence: number;
}

const header = (text: string, name: string): string =>
  new RegExp(`^${name}: *(.*)$`, 'im').exec(text)?.[1]?.trim() ?? '';

export class Exchange {
  readonly keys: string[] = [];
  readonly heard: Buffer[] = [];
  readonly #port: number;
  readonly #signalling: Socket = createSocket('udp4');
  readonly #dialogs = new Map<string, Dialog>();
  #ours = 0;

  private constructor(port: number) {
    this.#port = port;
  }

  static async open(port: number): Promise<Exchange> {
    const exchange = new Exchange(port);
    exchange.#signalling.bind(port, ADDRESS);
    await once(exchange.#signalling, 'listening');
    exchange.#signalling.on('message', (bytes, { port: from }) => {
      exchange.#ours = from;
      void exchange.#take(bytes.toString('latin1'));
    });
    return exchange;
  }

  close(): void {
    for (const dialog of this.#dialogs.values()) stop(dialog);
    this.#signalling.close();
  }

  async #take(text: string): Promise<void> {
    const [method = '', uri = ''] = text.split(' ', 2);
    const who = /^sip:([^@;>]+)/.exec(uri)?.[1] ?? '';
    const id = header(text, 'Call-ID');
    const dialog = this.#dialogs.get(id);
    if (method === 'INVITE' && dialog === undefined) await this.#invited(text, who, id);
    else if (method === 'CANCEL') {
      this.#answer(text, '200 OK');
      if (dialog !== undefined) this.#answer(dialog.invite, '487 Request Terminated');
    } else if (method === 'BYE') {
      this.#answer(text, '200 OK');
      if (dialog !== undefined) stop(dialog);
    } else if (method === 'REFER' && dialog !== undefined) this.#referred(text, dialog);
  }

  async #invited(text: string, who: string, id: string): Promise<void> {
    const refused = REFUSED[who];
    if (refused !== undefined) {
      this.#answer(text, refused);
      return;
    }
    const sound = createSocket('udp4');
    const towards = Number(/^m=audio ([0-9]+)/m.exec(text)?.[1]);
    const dialog: Dialog = { invite: text, sound, towards, timer: undefined, sequence: 0 };
    this.#dialogs.set(id, dialog);
    this.#answer(text, '180 Ringing');
    sound.bind(0, ADDRESS);
    await once(sound, 'listening');
    if (who === WHO.silent) return;
    const isPlain = who === WHO.plain;
    if (isPlain) sound.on('message', (packet) => this.heard.push(packet.subarray(12)));
    else this.#hearKeys(sound);
    const lines = ['v=0', 'o=x 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'];
    const media = [
      `m=audio ${sound.address().port} RTP/AVP 0${isPlain ? '' : ` ${EVENTS}`}`,
      ...(isPlain ? [] : [`a=rtpmap:${EVENTS} telephone-event/8000`]),
    ];
    this.#answer(text, '200 OK', [...lines, ...media, ''].join('\r\n'));
    if (who === WHO.echoes) sound.on('message', (packet) => this.#echo(dialog, packet));
    else if (who === WHO.presses) this.#press(dialog, ['5', '7']);
    else this.#speak(dialog, isPlain ? Buffer.concat(IN_SOUND) : Buffer.from(tone([440], PACKET_MS)));
  }

  /** Repeats the sound by the clock, because timers alone fall behind it. */
  #speak(dialog: Dialog, sound: Buffer): void {
    const began = performance.now();
    const behind = () => dialog.sequence * PACKET_MS < performance.now() - began;
    dialog.timer = setInterval(() => {
      while (behind()) {
        const at = (dialog.sequence * FRAME) % sound.length;
        this.#packet(dialog, 0, dialog.sequence * FRAME, sound.subarray(at, at + FRAME));
      }
    }, PACKET_MS);
  }

  #echo(dialog: Dialog, packet: Buffer): void {
    const samples = convertAudio('pcmu', packet.subarray(12), 'pcm16');
    for (let at = 0; at < samples.length; at += 2)
      samples.writeInt16LE(Math.round(samples.readInt16LE(at) / 10), at);
    this.#packet(dialog, 0, dialog.sequence * FRAME, convertAudio('pcm16', samples, 'pcmu'));
  }

  #press(dialog: Dialog, keys: readonly string[]): void {
    const packets = keys.flatMap((key, at) =>
      Array.from({ length: KEY_PACKETS }, (_, number) => {
        const isOver = number >= KEY_PACKETS - 3;
        const lasted = Math.min(number + 1, KEY_PACKETS - 2) * 160;
        const body = Buffer.from([Number(key), (isOver ? 0x80 : 0) | 10, lasted >> 8, lasted & 0xff]);
        return () => this.#packet(dialog, EVENTS, 1600 + at * 4800, body);
      }),
    );
    dialog.timer = setInterval(() => {
      const next = packets.shift();
      if (next !== undefined) next();
      else {
        stop(dialog);
        this.#request(dialog, 'BYE');
      }
    }, PACKET_MS);
  }

  #packet({ sound, towards, sequence }: Dialog, type: number, timestamp: number, body: Buffer): void {
    const head = Buffer.alloc(12);
    head.writeUInt8(0x80, 0);
    head.writeUInt8(type, 1);
    head.writeUInt16BE(sequence & 0xffff, 2);
    head.writeUInt32BE(timestamp, 4);
    head.writeUInt32BE(towards, 8);
    sound.send(Buffer.concat([head, body]), towards, ADDRESS);
    for (const one of this.#dialogs.values()) if (one.sound === sound) one.sequence++;
  }

  #hearKeys(sound: Socket): void {
    const heard = new Set<number>();
    sound.on('message', (packet) => {
      const isOver = ((packet[13] ?? 0) & 0x80) !== 0;
      const at = packet.readUInt32BE(4);
      if (((packet[1] as number) & 0x7f) !== EVENTS || !isOver || heard.has(at)) return;
      heard.add(at);
      this.keys.push('0123456789*#ABCD'[packet[12] as number] as string);
    });
  }

  #referred(text: string, dialog: Dialog): void {
    const who = /sip:([^@;>]+)/.exec(header(text, 'Refer-To'))?.[1] ?? '';
    this.#answer(text, '202 Accepted');
    if (who === WHO.unwanted) this.#request(dialog, 'BYE');
    else this.#request(dialog, 'NOTIFY', `SIP/2.0 ${REFUSED[who] ?? '200 OK'}\r\n`);
  }

  #request(dialog: Dialog, method: string, fragment = ''): void {
    const { invite } = dialog;
    const contact = /<([^>]+)>/.exec(header(invite, 'Contact'))?.[1] ?? '';
    const reported = ['Event: refer', 'Subscription-State: terminated', 'Content-Type: message/sipfrag'];
    this.#send([
      `${method} ${contact} SIP/2.0`,
      `Via: SIP/2.0/UDP ${ADDRESS}:${this.#port};branch=z9hG4bK${header(invite, 'Call-ID')}${method}`,
      `From: ${header(invite, 'To')};tag=x`,
      `To: ${header(invite, 'From')}`,
      `Call-ID: ${header(invite, 'Call-ID')}`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:exchange@${ADDRESS}:${this.#port}>`,
      'Max-Forwards: 70',
      ...(fragment === '' ? [] : reported),
      `Content-Length: ${fragment.length}`,
      '',
      fragment,
    ]);
  }

  #answer(request: string, status: string, body = ''): void {
    const stored = request.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq):/i.test(line));
    const to = header(request, 'To');
    this.#send([
      `SIP/2.0 ${status}`,
      ...stored,
      `To: ${to}${to.includes(';tag=') ? '' : ';tag=x'}`,
      `Contact: <sip:exchange@${ADDRESS}:${this.#port}>`,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ]);
  }

  #send(lines: readonly string[]): void {
    this.#signalling.send(lines.join('\r\n'), this.#ours, ADDRESS);
  }
}

function stop(dialog: Dialog): void {
  clearInterval(dialog.timer);
  dialog.timer = undefined;
}
