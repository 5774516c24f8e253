import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface Caller {
  readonly accepted: () => number;
  invite(): void;
  acknowledge(): void;
  until(accepted: number): Promise<void>;
  readonly hungUp: Promise<void>;
  close(): void;
}

export async function openCaller(target: number, number: string, own: number): Promise<Caller> {
  const socket = createSocket('udp4');
  socket.bind(own, '127.0.0.1');
  await once(socket, 'listening');
  let accepted = 0;
  let to = `<sip:${number}@127.0.0.1:${target}>`;
  let wake = (): void => undefined;
  let over = (): void => undefined;
  const hungUp = new Promise<void>((resolve) => {
    over = resolve;
  });
  const send = (text: string): void => socket.send(text, target, '127.0.0.1');
  const request = (method: string, branch: string, body = ''): string =>
    [
      `${method} sip:${number}@127.0.0.1:${target} SIP/2.0`,
      `Via: SIP/2.0/UDP 127.0.0.1:${own};branch=z9hG4bK${own}${branch}`,
      `From: <sip:+14155550177@127.0.0.1:${own}>;tag=a`,
      `To: ${to}`,
      `Call-ID: ${own}@caller`,
      `CSeq: 1 ${method}`,
      `Contact: <sip:caller@127.0.0.1:${own}>`,
      'Max-Forwards: 70',
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  socket.on('message', (bytes) => {
    const message = bytes.toString('latin1');
    if (message.startsWith('BYE ')) {
      const stored = message.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/i.test(line));
      send(['SIP/2.0 200 OK', ...stored, 'Content-Length: 0', '', ''].join('\r\n'));
      over();
    }
    if (!message.startsWith('SIP/2.0 200')) return;
    to = /^To: (.*)$/im.exec(message)?.[1]?.trim() ?? to;
    accepted++;
    wake();
  });
  const sdp =
    'v=0\r\no=a 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9000 RTP/AVP 0\r\n';
  const first = request('INVITE', 'invite', sdp);
  return {
    accepted: () => accepted,
    invite: () => send(first),
    acknowledge: () => send(request('ACK', 'ack')),
    until: async (count) => {
      while (accepted < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    hungUp,
    close: () => socket.close(),
  };
}
