/** Calls of packets alone, in one engine: each lane's other end is another lane, over loopback sockets. */
import {
  Engine,
  type Lane,
  packRtpSetup,
  type RtpEvent,
  type RtpStatistics,
  RtpVerb,
  rtpLane,
} from '../../src/engine/index.ts';

const FRAME_MS = 20;
const LOUD = 0x10;
const SILENT = 0xff;

export interface End {
  readonly lane: Lane<RtpEvent>;
  readonly port: number;
  statistics: RtpStatistics | null;
  /** Each piece of sound that comes. */
  heard: (piece: Uint8Array) => void;
}

export function openEnd(engine: Engine): Promise<End> {
  return new Promise((resolve, reject) => {
    const end: { -readonly [Key in keyof End]: End[Key] } = {
      lane: undefined as unknown as Lane<RtpEvent>,
      port: 0,
      statistics: null,
      heard: () => undefined,
    };
    end.lane = engine.open(
      rtpLane,
      { rate: 8000, codec: 'ulaw', bind: '127.0.0.1', ports: { from: 40000, to: 49999 } },
      {
        audio: (piece) => end.heard(piece),
        event: (event) => {
          if (event.kind === 'statistics') end.statistics = event.statistics;
          if (event.kind === 'refused') reject(new Error(event.reason));
          if (event.kind !== 'opened') return;
          end.port = event.port;
          resolve(end);
        },
        closed: () => undefined,
      },
    );
  });
}

export function connect(one: End, other: End): void {
  const towards = (port: number) =>
    packRtpSetup({
      address: '127.0.0.1',
      port,
      listen: [{ type: 0, codec: 'pcmu' }],
      speak: { type: 0, codec: 'pcmu' },
    });
  one.lane.control(RtpVerb.setup, towards(other.port));
  other.lane.control(RtpVerb.setup, towards(one.port));
}

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface Held {
  readonly calls: number;
  /** Of what was played, what had to be concealed: 0 to 1. */
  readonly concealed: number;
  /** Thousandths of a core for a call. */
  readonly cost: number;
  readonly missedTicks: number;
  readonly waitMs: number;
}

/** So many calls for a while, each with packets both ways. */
export async function hold(calls: number, seconds: number): Promise<Held> {
  const engine = new Engine({ slots: calls + 8, capacity: 1_000_000 });
  try {
    await engine.prepared();
    const ends: End[] = [];
    for (let i = 0; i < calls; i++) ends.push(await openEnd(engine));
    for (let i = 0; i + 1 < calls; i += 2) connect(ends[i] as End, ends[i + 1] as End);
    await wait(2_000);
    const sum = (pick: (statistics: RtpStatistics) => number) =>
      ends.reduce((total, end) => total + (end.statistics === null ? 0 : pick(end.statistics)), 0);
    const before = { concealed: sum((one) => one.concealedMs), played: sum((one) => one.playedMs) };
    const ticks = engine.stats().missedTicks;
    const cpu = process.cpuUsage();
    await wait(1000 * seconds);
    const used = process.cpuUsage(cpu);
    const concealed = sum((one) => one.concealedMs) - before.concealed;
    const played = sum((one) => one.playedMs) - before.played;
    return {
      calls,
      concealed: concealed / Math.max(1, concealed + played),
      cost: (used.user + used.system) / 1000 / seconds / calls,
      missedTicks: engine.stats().missedTicks - ticks,
      waitMs: sum((one) => one.waitMs) / calls,
    };
  } finally {
    engine.destroy();
  }
}

/** From a frame into one end to the sound of it out of the other, in ms. */
export async function delays(count: number): Promise<number[]> {
  const engine = new Engine({ slots: 8, capacity: 1_000_000 });
  try {
    await engine.prepared();
    const [one, other] = [await openEnd(engine), await openEnd(engine)];
    connect(one, other);
    await wait(1_500);
    const found: number[] = [];
    for (let i = 0; i < count; i++) {
      const began = performance.now();
      const came = new Promise<number>((resolve) => {
        other.heard = (piece) => {
          if (piece.some((byte) => (byte & 0x7f) < 0x30)) resolve(performance.now());
        };
      });
      one.lane.push(new Uint8Array(8 * FRAME_MS).fill(LOUD));
      one.lane.push(new Uint8Array(8 * FRAME_MS).fill(SILENT));
      found.push((await came) - began);
      await wait(150 + ((i * 7) % 20));
    }
    return found;
  } finally {
    engine.destroy();
  }
}
