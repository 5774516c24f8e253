// @requirement Messaging apps: A session description of 1 MB is refused.
// @requirement WebRTC: A DTLS handshake that never ends is timed out.
import { createHmac } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { MOST_SDP_BYTES, type PeerEnd } from '../../../src/telephony/webrtc/index.ts';
import { compileProgram } from '../../running-server.ts';
import { node } from './nodes.ts';

beforeAll(compileProgram, 120_000);
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const PASSWORD = 'a-password-of-the-other-side';
const MAGIC = 0x2112a442;
const attribute = (type: number, value: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
};

function bound(request: Buffer, address: string, port: number): Buffer {
  const mapped = Buffer.alloc(8);
  mapped.writeUInt16BE(1, 0);
  mapped.writeUInt16BE(port ^ (MAGIC >>> 16), 2);
  const ip = address.split('.').reduce((all, part) => all * 256 + Number(part), 0);
  mapped.writeUInt32BE((ip ^ MAGIC) >>> 0, 4);
  const body = attribute(0x0020, mapped);
  const headed = (length: number) => {
    const head = Buffer.from(request.subarray(0, 20));
    head.writeUInt16BE(0x0101, 0);
    head.writeUInt16BE(length, 2);
    return head;
  };
  const signed = Buffer.concat([headed(body.length + 24), body]);
  const whole = Buffer.concat([
    body,
    attribute(0x0008, createHmac('sha1', PASSWORD).update(signed).digest()),
  ]);
  const checked = Buffer.concat([headed(whole.length + 8), whole]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((crc32(checked) ^ 0x5354554e) >>> 0);
  return Buffer.concat([checked, attribute(0x8028, sum)]);
}

async function aSilentPeer(): Promise<{ port: number; counts: { checks: number; hellos: number } }> {
  const socket: Socket = createSocket('udp4');
  const counts = { checks: 0, hellos: 0 };
  socket.on('message', (message, from) => {
    const isStun = message.length >= 20 && message.readUInt32BE(4) === MAGIC;
    if (isStun && message.readUInt16BE(0) === 1) {
      counts.checks += 1;
      socket.send(bound(message, from.address, from.port), from.port, from.address);
    } else if (message[0] === 22) counts.hellos += 1;
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  closing.push(() => socket.close());
  return { port: socket.address().port, counts };
}

const offerOf = (port: number): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'a=ice-lite',
    'a=group:BUNDLE 0',
    `m=audio ${port} UDP/TLS/RTP/SAVPF 0 101`,
    'c=IN IP4 127.0.0.1',
    'a=mid:0',
    'a=sendrecv',
    'a=rtcp-mux',
    'a=ice-ufrag:wall',
    `a=ice-pwd:${PASSWORD}`,
    `a=fingerprint:sha-256 ${Array(32).fill('AB').join(':')}`,
    // The passive peer makes us send the ClientHello, which it does not answer.
    'a=setup:passive',
    'a=rtpmap:0 PCMU/8000',
    'a=rtpmap:101 telephone-event/8000',
    `a=candidate:1 1 udp 2130706431 127.0.0.1 ${port} typ host`,
    '',
  ].join('\r\n');

const aNode = (connectWithinMs: number) => node({ most: 8, mostOpening: 4, connectWithinMs });

const listening = () => {
  const side = { connected: false, end: null as PeerEnd | null };
  return {
    side,
    listener: {
      connected: () => {
        side.connected = true;
      },
      audio: () => undefined,
      ended: (end: PeerEnd) => {
        side.end = end;
      },
    },
  };
};

it('is given up when the handshake never ends, and its place is free again', async () => {
  const { port, counts } = await aSilentPeer();
  const webrtc = aNode(3_000);
  const { side, listener } = listening();
  await webrtc.answer(offerOf(port), listener);
  await vi.waitFor(() => expect(counts.hellos).toBeGreaterThan(0), 10_000);
  await vi.waitFor(() => expect(side.end).toBe('never_connected'), 10_000);
  expect([side.connected, webrtc.count]).toEqual([false, 0]);
  const hellos = counts.hellos;
  await webrtc.answer(offerOf(port), listening().listener);
  await vi.waitFor(() => expect(counts.hellos).toBeGreaterThan(hellos), 10_000);
}, 60_000);

it('takes no description of a megabyte, in an offer or an answer', async () => {
  const { port } = await aSilentPeer();
  const webrtc = aNode(1_000);
  const large = `${offerOf(port)}a=x-more:${'x'.repeat(1_000_000)}\r\n`;
  const began = performance.now();
  for (let again = 0; again < 100; again += 1)
    await expect(webrtc.answer(large, listening().listener)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'sdp',
    });
  expect(performance.now() - began).toBeLessThan(2_000);
  expect([webrtc.count, webrtc.pid]).toEqual([0, null]);
  expect(Buffer.byteLength(large)).toBeGreaterThan(MOST_SDP_BYTES);
  const { side, listener } = listening();
  const { peer } = await webrtc.offer(listener);
  peer.answered(large);
  await vi.waitFor(() => expect(side.end).toBe('never_connected'), 10_000);
}, 60_000);
