// @requirement Carriers: One test suite runs over every carrier.
// @requirement Carriers: The `loopback` carrier simulates numbers, loss, jitter and scenarios.
// @requirement Call quality: A record has loss, jitter, concealment and MOS, and one-way audio is reported live.
// @requirement Telephony: Numbers are searched, provisioned, quarantined and configured.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { randomFrom } from '../../../src/foundation/platform/seeded-random.ts';
import { convertAudio, Engine } from '../../../src/media/engine/index.ts';
import {
  EchoMeter,
  type IncomingCall,
  LoopbackCarrier,
  type MediaStats,
  type OpenEchoMeter,
  PendingStreams,
  readNetwork,
  ScenarioSounds,
  tone,
} from '../../../src/telephony/carriers/index.ts';
import { until } from '../../poll.ts';
import { type CarrierWorld, carrierContract, heard, RecordingListener } from './contract.ts';

const NETWORK = `
numbers:
  '+15005550001': { ring_ms: 50, steps: [ { tone: { hertz: [440], ms: 30000 } } ] }
  '+15005550002': { outcome: busy }
  '+15005550003': { outcome: no_answer }
  '+15005550008': { ring_ms: 50, outcome: rejected }
  '+15005550020': { ring_ms: 50, steps: [ { pause_ms: 50 }, { press: '57' }, { hang_up: true } ] }
  '+15005550021': { ring_ms: 50, loss: 0.2, jitter_ms: 60, steps: [ { tone: { hertz: [440], ms: 30000 } } ] }
  '+15005550023': { ring_ms: 50, echo: { delay_ms: 180, db: -20 } }
  '+15005550024': { ring_ms: 50, loss: 0.1 }
  '+15005550022': { ring_ms: 50, hang_up_after_ms: 200, steps: [ { say: 'Hello.' } ] }
`;

const random = randomFrom(1);

function noise(ms: number): Uint8Array {
  const samples = Buffer.alloc(ms * 16);
  for (let at = 0; at < ms * 8; at++) samples.writeInt16LE(Math.round(16_000 * random() - 8_000), at * 2);
  return convertAudio('pcm16', samples, 'pcmu');
}

async function open(
  openEchoMeter?: OpenEchoMeter,
): Promise<CarrierWorld & { carrier: LoopbackCarrier; spoken: string[] }> {
  const dock = new PendingStreams(systemClock, openEchoMeter);
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) => {
    const stream = dock.open({
      send: (text) => socket.send(text),
      close: (code, reason) => socket.close(code, reason),
    });
    socket.on('message', (data, isBinary) => stream.onMessage(data as Buffer, isBinary));
    socket.on('close', () => stream.onClosed());
  });
  const { port } = server.address() as { port: number };
  const spoken: string[] = [];
  const sounds = new ScenarioSounds(mkdtempSync(join(tmpdir(), 'sounds-')), async (text) => {
    spoken.push(text);
    return tone([300], 200);
  });
  const faults: unknown[] = [];
  const carrier = new LoopbackCarrier({
    clock: systemClock,
    dock,
    sounds,
    streamUrl: () => `ws://127.0.0.1:${port}/`,
    network: readNetwork(NETWORK, 'the test'),
    onError: (error) => faults.push(error),
  });
  return {
    carrier,
    spoken,
    from: '+14155550100',
    dial: {
      answers: '+15005550001',
      busy: '+15005550002',
      silent: '+15005550003',
      declines: '+15005550008',
      presses: '+15005550020',
      nobody: '+15005559999',
    },
    transferTo: '+15005550001',
    callIn: (to) => {
      carrier.callIn({
        from: '+15005550001',
        to,
        scenario: { steps: [{ tone: { hertz: [440], ms: 30000 } }] },
      });
    },
    close: async () => {
      await carrier.stop();
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
      expect(faults).toEqual([]);
    },
  };
}

carrierContract('loopback', open);

describe('a call between two numbers of this server', () => {
  const both = async (
    take: (call: IncomingCall) => void = (call) => setImmediate(() => void call.answer()),
  ) => {
    const world = await open();
    const [caller, callee] = [new RecordingListener(), new RecordingListener()];
    world.carrier.incoming((call) => {
      take(call);
      return callee;
    });
    const order = { id: 'tcl_1', from: world.from, to: '+14155550101', ringMs: 5_000 };
    const call = await world.carrier.place(order, caller);
    return { world, caller, callee, call };
  };

  it('rings there, and each hears the other and its keys until one hangs up', async () => {
    const { world, caller, callee, call } = await both();
    const [here, there] = [await caller.until('answered'), await callee.until('answered')];
    const [heardHere, heardThere] = [heard(here.media, 200), heard(there.media, 200)];
    const marked = new Promise<string>((resolve) => {
      const { media } = there;
      const sink = { audio: () => undefined, marked: resolve };
      void heardThere.then(() => media.bind(sink)).then(() => media.mark('said'));
    });
    here.media.send(tone([440], 400));
    there.media.send(tone([600], 400));
    expect(await heardThere).toBeGreaterThanOrEqual(200);
    expect(await heardHere).toBeGreaterThanOrEqual(200);
    expect(await marked).toBe('said');
    await call.sendKeys('5');
    await until(() => callee.keys.length > 0);
    expect(callee.keys).toEqual(['5']);
    await call.hangUp();
    expect((await caller.until('ended')).end).toEqual({ reason: 'completed', by: 'us' });
    expect((await callee.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    await world.close();
  });

  it.each([
    ['busy', { reason: 'busy' }],
    ['rejected', { reason: 'rejected' }],
    ['unknown', { reason: 'failed', detail: '+14155550101 is not assigned on the loopback network' }],
  ] as const)('ends as it is turned away: %s', async (reason, end) => {
    const { world, caller } = await both((call) => setImmediate(() => void call.reject(reason)));
    expect((await caller.until('ended')).end).toEqual(end);
    await world.close();
  });

  it('stops ringing there where the caller lets go', async () => {
    const { world, caller, callee, call } = await both(() => undefined);
    await caller.until('ringing');
    await call.hangUp();
    expect((await callee.until('ended')).end.reason).toBe('canceled');
    await world.close();
  });
});

describe('a transfer to a number of this server', () => {
  /**
   * Answers a call to the first number from a telephone with a tone or another number of this server. A transfer
   * rings the second number, which does what `take` does.
   */
  const answered = async (
    from: 'a telephone' | 'a number',
    take: (call: IncomingCall) => void = (call) => setImmediate(() => void call.answer()),
  ) => {
    const world = await open();
    const [caller, first, second] = [
      new RecordingListener(),
      new RecordingListener(),
      new RecordingListener(),
    ];
    const calls: IncomingCall[] = [];
    world.carrier.incoming((call) => {
      if (call.to === '+14155550199') return null;
      calls.push(call);
      if (call.to === '+14155550101') setImmediate(() => void call.answer());
      else take(call);
      return call.to === '+14155550101' ? first : second;
    });
    if (from === 'a telephone') await world.callIn?.('+14155550101');
    else
      await world.carrier.place({ id: 'tcl_1', from: world.from, to: '+14155550101', ringMs: 5_000 }, caller);
    await first.until('answered');
    return { world, caller, first, second, calls, call: calls[0]! };
  };
  const HOUR_MS = 3_600_000;

  it('connects the telephone that called with its holder, until that one hangs up', async () => {
    const { world, first, second, calls, call } = await answered('a telephone');
    await call.transfer('+14155550102', HOUR_MS);
    expect([calls[1]?.from, calls[1]?.to]).toEqual(['+15005550001', '+14155550102']);
    expect(call.state.kind).toBe('transferred');
    const { media } = await second.until('answered');
    expect(await heard(media, 200)).toBeGreaterThanOrEqual(200);
    await calls[1]?.hangUp();
    expect((await first.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    expect((await second.until('ended')).end).toEqual({ reason: 'completed', by: 'us' });
    await world.close();
  });

  it('connects two numbers of this server, with their keys', async () => {
    const { world, caller, first, second, calls, call } = await answered('a number');
    await call.transfer('+14155550102', HOUR_MS);
    const [here, there] = [await caller.until('answered'), await second.until('answered')];
    const [heardHere, heardThere] = [heard(here.media, 200), heard(there.media, 200)];
    here.media.send(tone([440], 400));
    there.media.send(tone([600], 400));
    expect(await heardThere).toBeGreaterThanOrEqual(200);
    expect(await heardHere).toBeGreaterThanOrEqual(200);
    await calls[1]?.sendKeys('7');
    await until(() => caller.keys.length > 0);
    expect([caller.keys, first.keys]).toEqual([['7'], []]);
    await call.hangUp();
    for (const reported of [caller, second])
      expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    await world.close();
  });

  it('ends both after its limit', async () => {
    const { world, first, second, call } = await answered('a telephone');
    await call.transfer('+14155550102', 100);
    expect((await first.until('ended')).end).toEqual({ reason: 'completed', by: 'us' });
    expect((await second.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    await world.close();
  });

  it.each([
    ['nobody has the number', '+14155550199', 'no number +14155550199'],
    ['its holder is busy', '+14155550102', 'busy'],
  ])('is refused where %s, and the call goes on', async (_why, to, said) => {
    const busy = (call: IncomingCall) => setImmediate(() => void call.reject('busy'));
    const { world, first, call } = await answered('a telephone', busy);
    await expect(call.transfer(to, HOUR_MS)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining(said),
    });
    const { media } = await first.until('answered');
    expect(await heard(media, 100)).toBeGreaterThanOrEqual(100);
    await world.close();
  });

  it('is given up where the caller lets go meanwhile', async () => {
    const { world, second, call } = await answered('a telephone', () => undefined);
    const transfer = call.transfer('+14155550102', HOUR_MS);
    await call.hangUp();
    await expect(transfer).rejects.toMatchObject({ kind: 'refused' });
    expect((await second.until('ended')).end).toEqual({ reason: 'canceled' });
    await world.close();
  });

  it('is refused at last where a number transfers to itself', async () => {
    const refused: string[] = [];
    const { world, calls, call } = await answered('a telephone', (next) =>
      setImmediate(async () => {
        await next.answer();
        await until(() => next.state.kind === 'answered');
        await next
          .transfer('+14155550102', HOUR_MS)
          .catch(({ message }: Error) => void refused.push(message));
      }),
    );
    await call.transfer('+14155550102', HOUR_MS);
    await until(() => refused.length > 0);
    expect(refused).toEqual(['+14155550102 did not answer the call: the call was transferred too often']);
    expect(calls).toHaveLength(6);
    await world.close();
  });
});

describe('the loopback network', () => {
  it('loses frames and lets them come unevenly where it is told to, and says how many', async () => {
    const world = await open();
    const reported = new RecordingListener();
    const { carrier, from } = world;
    const call = await carrier.place({ id: 'tcl_1', from, to: '+15005550021', ringMs: 5_000 }, reported);
    const { media } = await reported.until('answered');
    await heard(media, 1_000);
    const { received, mos } = media.stats();
    expect(received.lost! / (received.frames + received.lost!)).toBeGreaterThan(0.08);
    expect(received.lost! / (received.frames + received.lost!)).toBeLessThan(0.35);
    expect(received.jitterMs).toBeGreaterThan(2);
    expect(mos).toBeLessThan(3.5);
    await call.hangUp();
    await world.close();
  });

  it('hangs up when its scenario says so, and speaks each text once however often it is heard', async () => {
    const world = await open();
    const { carrier, from, spoken } = world;
    for (let time = 0; time < 2; time++) {
      const reported = new RecordingListener();
      await carrier.place({ id: 'tcl_1', from, to: '+15005550022', ringMs: 5_000 }, reported);
      expect((await reported.until('ended')).end).toEqual({ reason: 'completed', by: 'them' });
    }
    expect(spoken).toEqual(['Hello.']);
    await world.close();
  });

  describe('with an engine that hears both ways', () => {
    const engine = new Engine({ slots: 4 });
    beforeAll(() => engine.prepared());
    afterAll(() => engine.destroy());

    async function talkedTo(number: string, seconds: number): Promise<MediaStats> {
      const world = await open(() => EchoMeter.open(engine));
      const reported = new RecordingListener();
      const call = await world.carrier.place(
        { id: 'tcl_1', from: world.from, to: number, ringMs: 5_000 },
        reported,
      );
      const { media } = await reported.until('answered');
      let sent = 0;
      media.bind({
        audio: () => {
          if (sent++ % 10 === 0) media.send(noise(200));
        },
      });
      await until(() => media.stats().echo !== null || media.stats().received.frames > seconds * 50);
      const stats = media.stats();
      await call.hangUp();
      await world.close();
      return { ...stats, echo: media.stats().echo };
    }

    // @requirement Call quality: A record reports echo with level and delay.
    it('tells how late and how loud what is said comes back', async () => {
      const { echo } = await talkedTo('+15005550023', 20);
      expect(echo?.db).toBeGreaterThan(-22);
      expect(echo?.db).toBeLessThan(-18);
      // The rest is the path there and back through this machine.
      expect(echo?.delayMs).toBeGreaterThan(160);
      expect(echo?.delayMs).toBeLessThan(320);
    });

    it('leaves half of the lanes to the calls themselves', async () => {
      const small = new Engine({ slots: 4 });
      await small.prepared();
      const meters = [1, 2, 3].map(() => EchoMeter.open(small));
      expect(meters.map((meter) => meter === null)).toEqual([false, false, true]);
      small.destroy();
    });

    it('tells of none where nothing comes back, however much goes lost', async () => {
      const { echo, received } = await talkedTo('+15005550024', 4);
      expect(received.lost).toBeGreaterThan(0);
      expect(echo).toBeNull();
    });
  });

  it('answers every number that its file promises', () => {
    const file = join(import.meta.dirname, '../../../src/telephony/carriers/loopback/network.yaml');
    const network = readNetwork(readFileSync(file, 'utf8'), 'src/telephony/carriers/loopback/network.yaml');
    const numbers = Array.from({ length: 11 }, (_, at) => `+1500555${String(at + 1).padStart(4, '0')}`);
    expect([...network.keys()]).toEqual(numbers);
  });

  it.each([
    ['numbers: { "+1500": {} }', '/numbers'],
    ['numbers: { "+15005550001": { outcome: explode } }', 'outcome'],
    ['numbers: { "+15005550001": { steps: [ { dance: true } ] } }', 'steps'],
    ['[]', '/'],
  ])('refuses %s and says where', (yaml, where) => {
    expect(() => readNetwork(yaml, 'x.yaml')).toThrow(new RegExp(`x\\.yaml: .*${where}`));
  });

  it('closes a stream that brings no token of a call, and one that never starts', async () => {
    const dock = new PendingStreams(systemClock);
    const closes: [number, string][] = [];
    const wire = {
      send: () => undefined,
      close: (code: number, reason: string) => closes.push([code, reason]),
    };
    const stream = dock.open(wire);
    const start = {
      event: 'start',
      streamSid: 'MZ1',
      start: {
        customParameters: { leg: 'guessed' },
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
      },
    };
    stream.onMessage(Buffer.from(JSON.stringify(start)), false);
    expect(closes[0]).toEqual([1008, 'no call is waiting for this stream']);
    const other = dock.open(wire);
    other.onMessage(Buffer.from('{'), false);
    expect(closes.at(-1)![0]).toBe(1008);
  });
});
