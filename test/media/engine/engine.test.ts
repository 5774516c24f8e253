import { afterEach, describe, expect, it } from 'vitest';
import {
  Engine,
  type Lane,
  loopbackLane,
  readWatermarkJob,
  type StatusName,
  WATERMARK_RATE,
} from '../../../src/media/engine/index.ts';

const engines: Engine[] = [];

async function start(options = {}, hooks = {}): Promise<Engine> {
  const engine = new Engine({ slots: 4, ...options }, hooks);
  engines.push(engine);
  await engine.prepared();
  return engine;
}

afterEach(() => {
  for (const engine of engines.splice(0)) engine.destroy();
});

function echo(engine: Engine, tenant: 'live' | 'trial' = 'live') {
  const heard: string[] = [];
  let notify = () => {};
  let end!: (status: StatusName) => void;
  const closed = new Promise<StatusName>((resolve) => {
    end = resolve;
  });
  const lane: Lane<never> = engine.open(
    loopbackLane,
    undefined,
    {
      audio: (bytes) => {
        heard.push(Buffer.from(bytes).toString());
        notify();
      },
      closed: end,
    },
    tenant,
  );
  const frames = async (count: number) => {
    while (heard.length < count) await new Promise<void>((resolve) => (notify = resolve));
    return heard;
  };
  return { lane, heard, closed, frames };
}

describe('a lane', () => {
  it('echoes frames in order, and a clean close loses none', async () => {
    const engine = await start();
    const { lane, heard, closed } = echo(engine);
    for (const text of ['one', 'two', 'three']) expect(lane.push(Buffer.from(text))).toBe('accepted');
    lane.close();
    expect(await closed).toBe('ok');
    expect(heard).toEqual(['one', 'two', 'three']);
    expect(lane.open).toBe(false);
    expect(lane.push(Buffer.from('late'))).toBe('closed');
  });

  it('answers full when it is given more than it can hold, and takes more afterwards', async () => {
    const engine = await start();
    const { lane, frames } = echo(engine);
    let accepted = 0;
    while (lane.push(Buffer.alloc(640)) === 'accepted') accepted += 1;
    expect(accepted).toBeGreaterThan(40);
    await frames(accepted);
    expect(lane.push(Buffer.alloc(640))).toBe('accepted');
    expect(lane.push(Buffer.alloc(1 << 20))).toBe('too_large');
  });

  it('takes the audio out of a carrier message', async () => {
    const engine = await start();
    const { lane, frames } = echo(engine);
    const message = (event: string, payload: string) =>
      Buffer.from(JSON.stringify({ event, sequenceNumber: '3', media: { track: 'inbound', payload } }));
    expect(lane.pushCarrierJson(message('media', Buffer.from('audio!').toString('base64')))).toBe('accepted');
    expect(lane.pushCarrierJson(message('mark', 'AAAA'))).toBe('not_media');
    expect(lane.pushCarrierJson(message('media', 'not base64'))).toBe('bad_message');
    expect(lane.pushCarrierJson(Buffer.from('{"event":'))).toBe('bad_message');
    expect(await frames(1)).toEqual(['audio!']);
  });

  it('is dropped at once when asked', async () => {
    const { lane, closed, heard } = echo(await start());
    lane.push(Buffer.from('never said'));
    lane.drop();
    expect(await closed).toBe('cancelled');
    expect(heard).toEqual([]);
  });

  it('keeps its slot to itself: a stale pair reaches nobody', async () => {
    const engine = await start({ slots: 1 });
    const first = echo(engine);
    first.lane.close();
    await first.closed;
    const second = echo(engine);
    expect(second.lane.slot).toBe(first.lane.slot);
    expect(first.lane.push(Buffer.from('for the first'))).toBe('closed');
    first.lane.drop();
    second.lane.push(Buffer.from('for the second'));
    expect(await second.frames(1)).toEqual(['for the second']);
    expect(engine.stats().stale).toBeGreaterThan(0);
  });
});

describe('an engine', () => {
  it('refuses what it has no room for, with the error a customer sees', async () => {
    const engine = await start({ slots: 1 });
    echo(engine);
    expect(() => echo(engine)).toThrow(expect.objectContaining({ code: 'capacity', retryAfter: 5 }));
  });

  it('keeps a share of its lanes for live tenants, and lets one trial in always', async () => {
    const engine = await start({ slots: 4 }, { liveReserve: 0.5 });
    const full = expect.objectContaining({ code: 'capacity' });
    const first = echo(engine, 'trial');
    echo(engine, 'trial');
    expect(() => echo(engine, 'trial')).toThrow(full);
    echo(engine, 'live');
    first.lane.drop();
    await first.closed;
    echo(engine, 'trial');
    echo(engine, 'live');
    expect(() => echo(engine, 'live')).toThrow(full);
    const small = await start({ slots: 1 }, { liveReserve: 0.9 });
    echo(small, 'trial');
    expect(() => echo(small, 'live')).toThrow(full);
  });

  it('checks its options with one kind of message', () => {
    expect(() => new Engine({ slots: 0 })).toThrow(
      "expected an integer from 1 to 65536 for 'slots', received 0",
    );
    expect(() => new Engine({ device: 'tpu' as never })).toThrow(
      'expected auto, cpu, cuda for \'device\', received "tpu"',
    );
  });

  it('drops the lane of a listener that throws, reports it, and serves the others', async () => {
    const faults: unknown[] = [];
    const engine = await start({}, { fault: (error: unknown) => faults.push(error) });
    const good = echo(engine);
    let ended!: (status: StatusName) => void;
    const closed = new Promise<StatusName>((resolve) => (ended = resolve));
    const bad = engine.open(loopbackLane, undefined, {
      audio: () => {
        throw new Error('a listener at fault');
      },
      closed: ended,
    });
    bad.push(Buffer.from('x'));
    good.lane.push(Buffer.from('y'));
    expect(await closed).toBe('cancelled');
    expect(await good.frames(1)).toEqual(['y']);
    expect(faults).toEqual([expect.objectContaining({ message: 'a listener at fault' })]);
  });

  it('tells every lane when it is destroyed, and then answers closed', async () => {
    const engine = await start();
    const { lane, closed } = echo(engine);
    engine.destroy();
    engine.destroy();
    expect(await closed).toBe('closed');
    expect(lane.push(Buffer.from('x'))).toBe('closed');
    expect(() => echo(engine)).toThrow(expect.objectContaining({ code: 'unavailable' }));
  });

  it('may be destroyed by a listener', async () => {
    const engine = await start();
    const other = echo(engine);
    const lane = engine.open(loopbackLane, undefined, { audio: () => engine.destroy(), closed: () => {} });
    lane.push(Buffer.from('x'));
    expect(await other.closed).toBe('closed');
  });

  it('says which kinds are ready', async () => {
    const kinds = (await start()).kinds();
    expect(kinds).toContainEqual(
      expect.objectContaining({ name: 'loopback', readiness: 'ready', lane: true }),
    );
  });
});

describe('a job', () => {
  // @requirement Fair use: Sandbox jobs wait while live keys have work.
  it('of a trial is one in the engine too: trials have half of the places, and who pays has the rest', async () => {
    const engine = await start({ jobs: 4 });
    const submit = (share: 'live' | 'trial') =>
      engine.submit(
        readWatermarkJob,
        { code: '0'.repeat(32), every: 1 },
        Buffer.alloc(2 * WATERMARK_RATE),
        undefined,
        share,
      );
    const jobs = [submit('trial'), submit('trial')];
    expect(() => submit('trial')).toThrow(expect.objectContaining({ code: 'capacity' }));
    jobs.push(submit('live'), submit('live'));
    expect(() => submit('live')).toThrow(expect.objectContaining({ code: 'capacity' }));
    for (const job of jobs) await job.result();
    await submit('trial').result();
  });
});
