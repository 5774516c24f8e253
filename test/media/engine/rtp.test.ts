import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  Engine,
  type Lane,
  loopbackLane,
  packRtpSetup,
  type RtpEvent,
  type RtpSetup,
  RtpVerb,
  rtpLane,
  telephonyLibraries,
} from '../../../src/media/engine/index.ts';

const PORTS = { from: 33000, to: 33999 };

interface Opened {
  readonly lane: Lane<RtpEvent>;
  readonly port: number;
  readonly events: RtpEvent[];
  readonly heard: Buffer[];
  until<K extends RtpEvent['kind']>(kind: K): Promise<Extract<RtpEvent, { kind: K }>>;
  sees(what: () => boolean): Promise<void>;
}

const engines: Engine[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const engine of engines.splice(0)) engine.destroy();
  for (const socket of sockets.splice(0)) socket.close();
});

async function engine(): Promise<Engine> {
  const made = new Engine({ capacity: 10_000, slots: 16 });
  engines.push(made);
  await made.prepared();
  return made;
}

async function openRtp(on: Engine, options: { deadMs?: number; quietMs?: number } = {}): Promise<Opened> {
  const events: RtpEvent[] = [];
  const heard: Buffer[] = [];
  let reported = () => {};
  const sees = async (what: () => boolean) => {
    while (!what()) await new Promise<void>((resolve) => (reported = resolve));
  };
  const until = async (kind: RtpEvent['kind']) => {
    await sees(() => events.some((event) => event.kind === kind));
    return events.find((event) => event.kind === kind);
  };
  const lane = on.open(
    rtpLane,
    { rate: 8000, bind: '127.0.0.1', ports: PORTS, ...options },
    {
      event: (event) => {
        events.push(event);
        reported();
      },
      audio: (bytes) => {
        heard.push(Buffer.from(bytes));
        reported();
      },
      closed: () => reported(),
    },
  );
  const { port } = (await until('opened')) as Extract<RtpEvent, { kind: 'opened' }>;
  return { lane, port, events, heard, until: until as Opened['until'], sees };
}

async function socket(): Promise<{ socket: Socket; port: number; packets: Buffer[] }> {
  const made = createSocket('udp4');
  sockets.push(made);
  const packets: Buffer[] = [];
  made.on('message', (packet) => packets.push(packet));
  made.bind(0, '127.0.0.1');
  await once(made, 'listening');
  return { socket: made, port: made.address().port, packets };
}

const setupTo = (port: number, more: Partial<RtpSetup> = {}): Uint8Array =>
  packRtpSetup({
    address: '127.0.0.1',
    port,
    listen: [{ type: 0, codec: 'pcmu' }],
    speak: { type: 0, codec: 'pcmu' },
    events: { type: 101, clock: 8000 },
    ...more,
  });

function packet(number: number, payload: Buffer, type = 0, timestamp = number * 160): Buffer {
  const head = Buffer.alloc(12);
  head[0] = 0x80;
  head[1] = type;
  head.writeUInt16BE(number & 0xffff, 2);
  head.writeUInt32BE(timestamp, 4);
  head.writeUInt32BE(77, 8);
  return Buffer.concat([head, payload]);
}

describe('the lane of a call’s packets', () => {
  it('sends what is pushed, by the clock, and tells of what comes', async () => {
    const call = await openRtp(await engine());
    const peer = await socket();
    call.lane.control(RtpVerb.setup, setupTo(peer.port));
    await call.until('ready');
    const loud = Buffer.alloc(16_000);
    for (let i = 0; i < loud.length; i += 2) loud.writeInt16LE(i % 4 === 0 ? 8000 : -8000, i);
    call.lane.push(loud);
    while (peer.packets.filter((one) => one.length === 172 && one[20] !== 0xff).length < 20)
      await once(peer.socket, 'message');
    const first = peer.packets.findIndex((one) => one[20] !== 0xff);
    const [one, next] = [peer.packets[first] as Buffer, peer.packets[first + 1] as Buffer];
    expect(next.readUInt16BE(2)).toBe((one.readUInt16BE(2) + 1) & 0xffff);
    expect((next.readUInt32BE(4) - one.readUInt32BE(4)) >>> 0).toBe(160);
    for (let i = 0; i < 10; i++) peer.socket.send(packet(i, Buffer.alloc(160, 0x10)), call.port, '127.0.0.1');
    expect(await call.until('source')).toEqual({ kind: 'source', from: `127.0.0.1:${peer.port}` });
    await call.sees(() => call.heard.some((bytes) => bytes.readInt16LE(0) < -4000));
    await call.sees(() =>
      call.events.some((event) => event.kind === 'statistics' && event.statistics.packetsSent > 0),
    );
  });

  it('tells a key once and refuses what it cannot speak in words', async () => {
    const call = await openRtp(await engine());
    const peer = await socket();
    call.lane.control(
      RtpVerb.setup,
      setupTo(peer.port, { srtp: { suite: 'NONE', inKey: Buffer.alloc(1), outKey: Buffer.alloc(1) } }),
    );
    const words = telephonyLibraries().srtp
      ? "the suite 'NONE' is not spoken"
      : 'apt-get install libsrtp2-dev';
    expect((await call.until('refused')).reason).toContain(words);
    call.lane.control(RtpVerb.setup, setupTo(peer.port));
    await call.until('ready');
    for (let i = 0; i < 6; i++)
      peer.socket.send(packet(i, Buffer.from([5, 10, 0, 160]), 101, 1), call.port, '127.0.0.1');
    expect(await call.until('key')).toEqual({ kind: 'key', digit: '5' });
    await call.until('statistics');
    expect(call.events.filter((event) => event.kind === 'key')).toHaveLength(1);
  });

  it('is joined with another lane inside the engine', async () => {
    const on = await engine();
    const call = await openRtp(on);
    const peer = await socket();
    let ended = () => {};
    const over = new Promise<void>((resolve) => (ended = resolve));
    const echo = on.open(loopbackLane, undefined, { closed: () => ended() });
    call.lane.control(RtpVerb.setup, setupTo(peer.port));
    await call.until('ready');
    expect(call.lane.join(echo)).toBe(true);
    let sent = 0;
    const talk = setInterval(
      () => peer.socket.send(packet(sent++, Buffer.alloc(160, 0x10)), call.port, '127.0.0.1'),
      20,
    );
    while (!peer.packets.some((one) => one.length === 172 && one[100] === 0x10))
      await once(peer.socket, 'message');
    clearInterval(talk);
    expect(call.heard).toEqual([]);
    echo.close();
    await over;
    expect(call.lane.join(echo)).toBe(false);
    call.lane.part();
  });

  it('tells when packets stop coming', async () => {
    const call = await openRtp(await engine(), { quietMs: 100, deadMs: 300 });
    const peer = await socket();
    call.lane.control(RtpVerb.setup, setupTo(peer.port));
    await call.sees(() => call.events.some((event) => event.kind === 'silence' && event.state === 'dead'));
    expect(call.events.filter((event) => event.kind === 'silence').map((event) => event.state)).toEqual([
      'quiet',
      'dead',
    ]);
  });
});
