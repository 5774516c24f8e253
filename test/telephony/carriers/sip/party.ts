import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

const ADDRESS = '127.0.0.1';

export function rtpPacket(source: number, at: number): Buffer {
  const packet = Buffer.alloc(172, 0x20);
  packet.writeUInt16BE(0x8000, 0);
  packet.writeUInt16BE(at, 2);
  packet.writeUInt32BE(160 * at, 4);
  packet.writeUInt32BE(source, 8);
  return packet;
}

export class Party {
  readonly port: number;
  readonly came: string[] = [];
  packets = 0;
  readonly #ours: number;
  readonly #number: string;
  readonly #signalling: Socket = createSocket('udp4');
  readonly #sound: Socket = createSocket('udp4');
  readonly #sequences = new Map<string, number>();
  #to: string;
  #woken: (() => void)[] = [];

  private constructor(ours: number, number: string, port: number) {
    this.#ours = ours;
    this.#number = number;
    this.port = port;
    this.#to = `<sip:${number}@${ADDRESS}:${ours}>`;
  }

  static async open(ours: number, number: string, port: number): Promise<Party> {
    const party = new Party(ours, number, port);
    party.#signalling.bind(port, ADDRESS);
    party.#sound.bind(0, ADDRESS);
    await Promise.all([once(party.#signalling, 'listening'), once(party.#sound, 'listening')]);
    party.#signalling.on('message', (bytes) => party.#take(bytes.toString('latin1')));
    party.#sound.on('message', () => party.packets++);
    return party;
  }

  get callId(): string {
    return `${this.port}@party`;
  }

  get theirTag(): string {
    return /;tag=([^;>\s]+)/.exec(this.#to)?.[1] ?? '';
  }

  request(method: string, headers: readonly string[] = [], body = ''): void {
    const sequence = method === 'ACK' ? (this.#sequences.get('INVITE') ?? 1) : this.#sequences.size + 1;
    this.#sequences.set(method, sequence);
    this.#send(
      [
        `${method} sip:${this.#number}@${ADDRESS}:${this.#ours} SIP/2.0`,
        `Via: SIP/2.0/UDP ${ADDRESS}:${this.port};branch=z9hG4bK${this.port}${method}`,
        `From: <sip:party${this.port}@${ADDRESS}:${this.port}>;tag=a`,
        `To: ${this.#to}`,
        `Call-ID: ${this.callId}`,
        `CSeq: ${sequence} ${method}`,
        `Contact: <sip:party@${ADDRESS}:${this.port}>`,
        'Max-Forwards: 70',
        ...headers,
        ...(body === '' ? [] : ['Content-Type: application/sdp']),
        `Content-Length: ${body.length}`,
        '',
        body,
      ].join('\r\n'),
    );
  }

  async call(headers: readonly string[] = []): Promise<string> {
    this.request('INVITE', headers, this.#description());
    const answer = await this.until(
      (text) => /^SIP\/2\.0 [2-6]/.test(text) && /CSeq: *[0-9]+ INVITE/i.test(text),
    );
    this.#to = /^To: *(.*)$/im.exec(answer)?.[1]?.trim() ?? this.#to;
    this.request('ACK');
    return answer.split('\r\n', 1)[0] as string;
  }

  async until(is: (text: string) => boolean): Promise<string> {
    for (;;) {
      const found = this.came.find(is);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#woken.push(resolve));
    }
  }

  untilRequest = (method: string): Promise<string> => this.until((text) => text.startsWith(`${method} `));

  async speak(port: number, packets: number): Promise<void> {
    for (let at = 0; at < packets; at++) {
      await new Promise((resolve) => this.#sound.send(rtpPacket(1, at), port, ADDRESS, resolve));
    }
  }

  close(): void {
    this.#signalling.close();
    this.#sound.close();
  }

  #take(text: string): void {
    const method = /^([A-Z]+) /.exec(text)?.[1];
    if (!text.startsWith('SIP/') && method !== 'ACK') {
      const stored = text.split('\r\n').filter((line) => /^(Via|From|Call-ID|CSeq):/i.test(line));
      const to = /^To: *(.*)$/im.exec(text)?.[1] ?? '';
      const body = method === 'INVITE' ? this.#description() : '';
      const described = [`Contact: <sip:party@${ADDRESS}:${this.port}>`, 'Content-Type: application/sdp'];
      this.#send(
        [
          'SIP/2.0 200 OK',
          ...stored,
          `To: ${to}${to.includes(';tag=') ? '' : ';tag=b'}`,
          ...(body === '' ? [] : described),
          `Content-Length: ${body.length}`,
          '',
          body,
        ].join('\r\n'),
      );
    }
    this.came.push(text);
    for (const wake of this.#woken.splice(0)) wake();
  }

  #description(): string {
    const lines = ['v=0', 'o=a 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'];
    return [...lines, `m=audio ${this.#sound.address().port} RTP/AVP 0`, ''].join('\r\n');
  }

  #send(text: string): void {
    this.#signalling.send(text, this.#ours, ADDRESS);
  }
}
