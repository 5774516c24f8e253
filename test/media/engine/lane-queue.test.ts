import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import {
  Engine,
  type Lane,
  LaneQueue,
  type LaneTenant,
  loopbackLane,
  resumedCall,
} from '../../../src/media/engine/index.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const WAIT_MS = 2_000;
const engines: Engine[] = [];
afterEach(() => {
  for (const engine of engines.splice(0)) engine.destroy();
});

interface HeldLane {
  readonly lane: Lane;
  readonly closed: Promise<void>;
}

const OTHER_NODE = 'https://node-2.example.com';
const full = expect.objectContaining({ code: 'capacity', retryAfter: 5, node: OTHER_NODE });
const live = (organization: string): LaneTenant => ({ share: 'live', organization });
const trial = (organization: string): LaneTenant => ({ share: 'trial', organization });

async function startLine(slots: number, reservedForLive = 0) {
  const engine = new Engine({ slots }, { liveReserve: reservedForLive });
  engines.push(engine);
  await engine.prepared();
  const clock = new ManualClock();
  const line = new LaneQueue({ engine, clock, waitMs: WAIT_MS, betterNode: () => OTHER_NODE });
  const served: { organization: string; held: HeldLane }[] = [];
  const open = async (tenant: LaneTenant): Promise<HeldLane> => {
    let end = () => {};
    const closed = new Promise<void>((resolve) => {
      end = resolve;
    });
    const lane = await line.open(loopbackLane, undefined, { closed: end }, tenant);
    const held = { lane, closed };
    served.push({ organization: tenant.organization, held });
    return held;
  };
  const give = async ({ lane, closed }: HeldLane) => {
    lane.drop();
    await closed;
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { engine, clock, line, open, give, served };
}

describe('the line before a full engine', () => {
  it('gives the next lane to the paying organization, however many a hostile one has waiting', async () => {
    const { line, open, give, served } = await startLine(4);
    const hostile = await Promise.all(Array.from({ length: 4 }, () => open(live('hostile'))));
    const flood = Array.from({ length: 32 }, () => open(live('hostile')).catch(() => null));
    await expect(open(live('hostile'))).rejects.toEqual(full);
    const paying = [open(live('paying')), open(live('paying'))];
    expect(line.waiting).toBe(34);
    for (const one of hostile.slice(0, 2)) await give(one);
    await Promise.all(paying);
    expect(served.slice(4).map(({ organization }) => organization)).toEqual(['paying', 'paying']);
    await give(hostile[2] as HeldLane);
    expect(served.at(-1)?.organization).toBe('hostile');
    for (const waits of [...served]) await give(waits.held);
    while (line.waiting > 0) await give((served.at(-1) as (typeof served)[0]).held);
    expect((await Promise.all(flood)).every((one) => one !== null)).toBe(true);
  });

  it('lets nobody overtake who came later, and turns go round', async () => {
    const { open, give, served } = await startLine(1);
    const first = await open(live('a'));
    const waiting = [open(live('b')), open(live('b')), open(live('c')), open(live('b')), open(live('c'))];
    await give(first);
    for (let turn = 0; turn < waiting.length; turn += 1)
      await give((served.at(-1) as (typeof served)[0]).held);
    await Promise.all(waiting);
    expect(served.map(({ organization }) => organization)).toEqual(['a', 'b', 'c', 'b', 'c', 'b']);
  });

  // @requirement Fair use: Live keys have a reserved share of lanes, and organizations wait in fair order.
  it('serves live keys before trials, and trials within their share alone', async () => {
    const { open, give, served, line } = await startLine(4, 0.5);
    const trials = [await open(trial('free')), await open(trial('free'))];
    const paying = [await open(live('paying')), await open(live('paying'))];
    const free = open(trial('other'));
    const late = open(live('paying'));
    await give(trials[0] as HeldLane);
    await late;
    expect(served.at(-1)?.organization).toBe('paying');
    await give(trials[1] as HeldLane);
    await free;
    expect(served.at(-1)?.organization).toBe('other');
    const more = [open(trial('free')), open(trial('free'))];
    await give(paying[0] as HeldLane);
    expect(line.waiting).toBe(1);
    await give(paying[1] as HeldLane);
    expect(line.waiting).toBe(1);
    await give((await more[0]) as HeldLane);
    await more[1];
  });

  it('serves a caller once there is capacity again, although no lane has ended', async () => {
    const { engine, clock, line, open } = await startLine(1);
    const held = engine.reserve('loopback');
    const waits = open(live('a'));
    clock.advance(WAIT_MS / 2);
    expect(line.waiting).toBe(1);
    held.release();
    clock.advance(WAIT_MS / 4);
    await waits;
    expect(line.waiting).toBe(0);
  });

  it('refuses with capacity after the longest wait, and removes the waiter', async () => {
    const { clock, line, open, give, served } = await startLine(1);
    const first = await open(live('a'));
    const waits = open(live('b'));
    const refused = expect(waits).rejects.toEqual(full);
    clock.advance(WAIT_MS - 1);
    expect(line.waiting).toBe(1);
    clock.advance(1);
    await refused;
    expect(line.waiting).toBe(0);
    expect(clock.timers).toBe(0);
    await give(first);
    await open(live('c'));
    expect(served.map(({ organization }) => organization)).toEqual(['a', 'c']);
    expect(clock.timers).toBe(0);
  });

  it('refuses a resumed call at once, which another node may take', async () => {
    const { line, open, give } = await startLine(1);
    const first = await open(live('a'));
    const closed = () => undefined;
    const resumes = line.open(loopbackLane, undefined, { closed }, live('b'), resumedCall);
    await expect(resumes).rejects.toEqual(full);
    expect(line.waiting).toBe(0);
    await give(first);
  });

  it('asks the next waiter when a live lane needs less', async () => {
    const { engine, clock } = await startLine(2);
    let hasCapacity = false;
    const open: Engine['open'] = (...order) => {
      if (!hasCapacity) throw new ApiError('capacity', 'full');
      return engine.open(...order);
    };
    const line = new LaneQueue({
      engine: { open, reserve: () => ({ release: () => {} }) },
      clock,
      waitMs: WAIT_MS,
    });
    const waits = line.open(loopbackLane, undefined, { closed: () => {} }, live('a'));
    line.onCapacityFreed();
    await Promise.resolve();
    expect(line.waiting, 'it was not enough').toBe(1);
    hasCapacity = true;
    line.onCapacityFreed();
    expect((await waits).usesVoiceUnderLoad).toBe(false);
    expect([line.waiting, clock.timers]).toEqual([0, 0]);
  });

  it('keeps the room of a reservation from everybody else, ahead of those who wait', async () => {
    const { line, open, served } = await startLine(2);
    const tenant = live('a');
    const reservation = line.reserve(loopbackLane.name, tenant);
    await open(live('b'));
    expect(() => line.reserve(loopbackLane.name, tenant)).toThrow(
      expect.objectContaining({ code: 'capacity' }),
    );
    const waits = open(live('c'));
    expect(line.waiting).toBe(1);
    const lane = await line.open(loopbackLane, undefined, { closed: () => {} }, tenant, reservation);
    expect([line.waiting, served.length]).toEqual([1, 1]);
    lane.drop();
    await waits;
    expect(served.map(({ organization }) => organization)).toEqual(['b', 'c']);
  });

  it('gives the capacity of a released reservation to one waiter', async () => {
    const { line, open, served } = await startLine(1);
    const reservation = line.reserve(loopbackLane.name, live('a'));
    const waits = [open(live('b')), open(live('c')).catch(() => null)];
    expect(() => line.reserve(loopbackLane.name, live('a'))).toThrow(
      expect.objectContaining({ code: 'capacity' }),
    );
    reservation.release();
    reservation.release();
    await waits[0];
    expect(served.map(({ organization }) => organization)).toEqual(['b']);
    expect(line.waiting).toBe(1);
  });

  it('leaves nobody waiting for an engine that ends', async () => {
    const { engine, open } = await startLine(1);
    await open(live('a'));
    const waits = expect(open(live('b'))).rejects.toThrow();
    engine.destroy();
    await waits;
  });
});
