/** Calls of packets alone, in one engine: each lane's other end is another lane, over loopback sockets. */
import { closeSync, mkdtempSync, openSync, rmSync, write } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Engine,
  type Lane,
  packRtpSetup,
  type RtpEvent,
  type RtpStatistics,
  RtpVerb,
  rtpLane,
} from '../../src/media/engine/index.ts';

const ADDRESS = '127.0.0.1';
const PIECES_A_SECOND = 100;
const WRITTEN_WITHIN_MS = 500;
const PCMU = { type: 0, codec: 'pcmu' } as const;

export interface End {
  readonly lane: Lane<RtpEvent>;
  readonly port: number;
  statistics: RtpStatistics | null;
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
      { rate: 8000, codec: 'ulaw', bind: ADDRESS, ports: { from: 40000, to: 49999 } },
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

export const listenTo = ({ lane }: End, port: number): unknown =>
  lane.control(RtpVerb.setup, packRtpSetup({ address: ADDRESS, port, listen: [PCMU], speak: PCMU }));

export interface Between {
  connect(one: End, other: End): void | Promise<void>;
  spentMs(): number;
}

const NOTHING_BETWEEN: Between = {
  connect(one, other) {
    listenTo(one, other.port);
    listenTo(other, one.port);
  },
  spentMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface HeldCall {
  readonly calls: number;
  readonly concealed: number;
  /** Thousandths of a core for a call. */
  readonly cost: number;
  readonly missedTicks: number;
  readonly waitMs: number;
}

class Tapes {
  readonly #folder = mkdtempSync(join(tmpdir(), 'telephony-'));
  readonly #files: number[] = [];

  record(end: End): void {
    const file = openSync(join(this.#folder, String(this.#files.length)), 'w');
    this.#files.push(file);
    let pieces: Uint8Array[] = [];
    end.heard = (piece) => {
      if (pieces.push(piece.slice()) < PIECES_A_SECOND) return;
      write(file, Buffer.concat(pieces), () => undefined);
      pieces = [];
    };
  }

  async remove(): Promise<void> {
    await wait(WRITTEN_WITHIN_MS);
    for (const file of this.#files) closeSync(file);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Runs this many calls for a while, each with packets both ways; each end counts as a call. */
export async function hold(calls: number, seconds: number, between = NOTHING_BETWEEN): Promise<HeldCall> {
  const engine = new Engine({ slots: calls + 8, capacity: 1_000_000 });
  const tapes = new Tapes();
  try {
    await engine.prepared();
    const ends: End[] = [];
    for (let i = 0; i < calls; i++) ends.push(await openEnd(engine));
    for (const end of ends) tapes.record(end);
    for (let i = 0; i + 1 < calls; i += 2) await between.connect(ends[i] as End, ends[i + 1] as End);
    await wait(2_000);
    const sum = (pick: (statistics: RtpStatistics) => number) =>
      ends.reduce((total, end) => total + (end.statistics === null ? 0 : pick(end.statistics)), 0);
    const before = { concealed: sum((one) => one.concealedMs), played: sum((one) => one.playedMs) };
    const ticks = engine.stats().missedTicks;
    const spent = between.spentMs();
    await wait(1000 * seconds);
    const used = between.spentMs() - spent;
    const concealed = sum((one) => one.concealedMs) - before.concealed;
    const played = sum((one) => one.playedMs) - before.played;
    return {
      calls,
      concealed: played === 0 ? 1 : concealed / (concealed + played),
      cost: used / seconds / calls,
      missedTicks: engine.stats().missedTicks - ticks,
      waitMs: sum((one) => one.waitMs) / calls,
    };
  } finally {
    engine.destroy();
    await tapes.remove();
  }
}
