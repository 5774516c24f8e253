import { addon } from './addon.ts';
import {
  type CapacityShare,
  checkTrialCapacity,
  type LaneCapacity,
  type LaneReservation,
  ReservedCapacity,
  resumedCall,
} from './capacity-share.ts';
import type { JobKind, LaneKind, LaneListener } from './contract.ts';
import { InFlightWork } from './in-flight-work.ts';
import { Job } from './job.ts';
import { Lane } from './lane.ts';
import type { EngineStats, ModelPlacement, NativeEngine } from './native.ts';
import { checkEngineOptions, type EngineOptions } from './options.ts';
import {
  BodyReader,
  ENGINE_SLOT,
  EngineEventType,
  type FlatOptions,
  JOB_SLOT,
  packOptions,
  walkRecords,
} from './packed-records.ts';
import { EngineStatus, engineStatusError, type StatusName, statusName } from './status.ts';

/** The buffer exceeds the largest record of any lane; native/engine/engine.h has the minimum. */
const DRAIN_BYTES = 1 << 20;
const NOTHING = new Uint8Array();

export interface KindReport {
  readonly name: string;
  readonly lane: boolean;
  readonly readiness: 'preparing' | 'ready' | 'failed';
  readonly problem?: string;
  readonly cost: number;
  readonly live: number;
  readonly counts: Readonly<Record<string, number>>;
}

export interface EngineHooks {
  /** The share of the lanes that trials never take, so that paying customers always find one. */
  readonly liveReserve?: number;
  /** A listener threw, so its lane was dropped. All other lanes go on. */
  fault?(error: unknown): void;
  kind?(name: string, status: StatusName, message: string): void;
  model?(placement: Pick<ModelPlacement, 'name' | 'device' | 'reason' | 'failed'>): void;
}

/**
 * Pending promises do not reference their engine. This set keeps an awaited engine from garbage collection in the
 * middle of its work.
 */
const AWAITED = new Set<Engine>();

/**
 * `process.exit` runs no clean-up hook of the main thread, so the libraries' exit handlers would run beside computing
 * threads. The engines here are destroyed first.
 */
const RUNNING = new Set<WeakRef<Engine>>();
const COLLECTED = new FinalizationRegistry((self: WeakRef<Engine>) => RUNNING.delete(self));
process.once('exit', () => {
  for (const engine of RUNNING) engine.deref()?.destroy();
});

export class Engine {
  readonly work = new InFlightWork();
  readonly #native: NativeEngine;
  readonly #self = new WeakRef(this);
  readonly #hooks: EngineHooks;
  readonly #buffer = new Uint8Array(DRAIN_BYTES);
  readonly #lanes: (Lane | undefined)[] = [];
  readonly #jobs = new Map<number, Job>();
  readonly #reserved = new ReservedCapacity();
  #settled: (() => void)[] = [];
  #destroyed = false;

  constructor(options: EngineOptions = {}, hooks: EngineHooks = {}) {
    this.#hooks = hooks;
    // The addon holds its callback forever; the weak reference lets an unused engine be collected.
    const self = this.#self;
    this.#native = new (addon().NativeEngine)(checkEngineOptions(options), () => self.deref()?.drain());
    COLLECTED.register(this, self);
    RUNNING.add(self);
  }

  get destroyed(): boolean {
    return this.#destroyed;
  }

  /**
   * Reserves one lane of a kind for a caller that must be sure of it before the lane can be opened. Throws
   * ApiError as `open` does.
   */
  reserve(kind: string, tenant: CapacityShare = 'live'): LaneReservation {
    const known = this.#native.kinds().find(({ name }) => name === kind);
    if (known?.readiness !== 'ready') throw engineStatusError(EngineStatus.not_ready, kind);
    this.#checkShare(kind, tenant);
    if (known.gpuFull || !this.#reserved.fits(this.#native, known.cost))
      throw engineStatusError(EngineStatus.capacity, kind);
    return this.#reserved.reserve(known.cost);
  }

  /** Counts the lanes of the kind that still fit; none while its models are not open, or while the GPU is full. */
  laneCapacity(kind: string): LaneCapacity {
    const known = this.#native.kinds().find(({ name }) => name === kind);
    if (known?.readiness !== 'ready') return { free: 0, total: 0 };
    const capacity = this.#reserved.laneCapacity(this.#native, known.cost);
    return known.gpuFull ? { ...capacity, free: 0 } : capacity;
  }

  #checkShare(kind: string, tenant: CapacityShare): void {
    if (tenant === 'trial') checkTrialCapacity(this.#native, this.#lanes, kind, this.#hooks.liveReserve ?? 0);
  }

  #checkReserved(kind: string): void {
    if (this.#reserved.isEmpty) return;
    const cost = this.#native.kinds().find(({ name }) => name === kind)?.cost ?? 0;
    if (!this.#reserved.fits(this.#native, cost)) throw engineStatusError(EngineStatus.capacity, kind);
  }

  /**
   * Opens a lane and consumes the `reservation`. Throws ApiError `capacity` when the engine is full, `unavailable`
   * when a model is missing.
   */
  open<Options, Event>(
    kind: LaneKind<Options, Event>,
    options: Options,
    listener: LaneListener<Event>,
    tenant: CapacityShare = 'live',
    reservation?: LaneReservation,
  ): Lane<Event> {
    reservation?.release();
    this.#checkShare(kind.name, tenant);
    const isResumed = reservation === resumedCall;
    if (!isResumed) this.#checkReserved(kind.name);
    const pack = (chosen: Options) =>
      packOptions({ ...shared(kind.flatten(chosen), tenant), ...(isResumed ? { resumed: true } : {}) });
    const asked = pack(options);
    const lighter = kind.lighter?.(options) ?? null;
    const light = lighter === null ? null : pack(lighter);
    const gaveWay = light !== null && this.#native.givesWay(kind.name, asked, light);
    const answer = this.#native.open(kind.name, gaveWay ? light : asked);
    if (answer.status !== EngineStatus.ok) throw engineStatusError(answer.status, answer.message);
    const id = { ...answer, gaveWay };
    const lane = new Lane<Event>(this.#native, kind as LaneKind<never, Event>, id, listener, tenant);
    this.#lanes[lane.slot] = lane as Lane;
    this.work.began(tenant);
    this.#hold();
    return lane;
  }

  /**
   * Starts offline work. The engine copies `input`; `signal` cancels. A trial's job waits while live tenants have
   * jobs.
   */
  submit<Options>(
    kind: JobKind<Options>,
    options: Options,
    input: Uint8Array = NOTHING,
    signal?: AbortSignal,
    tenant: CapacityShare = 'live',
  ): Job {
    const packed = packOptions(shared(kind.flatten(options), tenant));
    const answer = this.#native.submit(kind.name, packed, input);
    if (answer.status !== EngineStatus.ok) throw engineStatusError(answer.status, answer.message);
    const job = new Job(this.#native, answer.job, tenant);
    this.#jobs.set(job.number, job);
    this.work.began(tenant);
    this.#hold();
    if (signal) cancelOn(signal, job);
    return job;
  }

  kinds(): KindReport[] {
    return this.#native.kinds().map((kind) => ({
      name: kind.name,
      lane: kind.lane,
      readiness: kind.readiness,
      ...(kind.readiness === 'ready' ? {} : { problem: `${statusName(kind.status)}: ${kind.message}` }),
      cost: kind.cost,
      live: kind.live,
      counts: kind.counts,
    }));
  }

  async prepared(): Promise<KindReport[]> {
    while (!this.#destroyed && this.#native.kinds().some((kind) => kind.readiness === 'preparing')) {
      await new Promise<void>((resolve) => {
        this.#settled.push(resolve);
        this.#hold();
      });
    }
    return this.kinds();
  }

  stats(): EngineStats {
    return this.#native.stats();
  }

  /** Ends every lane and job and joins the engine's threads. Open lanes get `closed`. */
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    RUNNING.delete(this.#self);
    this.#native.destroy();
    for (const lane of this.#lanes.splice(0)) this.#guard(lane, () => lane?.end('closed'));
    for (const job of this.#jobs.values()) job.finish(EngineStatus.closed, 'the engine was destroyed');
    this.#jobs.clear();
    this.#notifySettled();
  }

  drain(): void {
    let more = true;
    while (more && !this.#destroyed) {
      const used = this.#native.drain(this.#buffer);
      if (used === 0) return;
      more = walkRecords(this.#buffer, used, this);
    }
  }

  record(slot: number, generation: number, type: number, flags: number, body: Uint8Array): void {
    if (slot === JOB_SLOT) {
      this.#jobRecord(generation, type, body);
      return;
    }
    if (slot === ENGINE_SLOT) {
      this.#engineRecord(type, body);
      return;
    }
    const lane = this.#lanes[slot];
    if (lane?.generation !== generation) return;
    if (type === EngineEventType.closed) {
      this.#lanes[slot] = undefined;
      this.work.ended(lane.tenant);
      this.#hold();
    }
    // The call is inlined instead of wrapped in a closure, because it runs for every record of every lane.
    try {
      lane.deliver(type, flags, body);
    } catch (error) {
      lane.drop();
      this.#report(error);
    }
  }

  #guard(lane: Lane | undefined, task: () => void): void {
    try {
      task();
    } catch (error) {
      lane?.drop();
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    try {
      this.#hooks.fault?.(error);
    } catch {}
  }

  #jobRecord(number: number, type: number, body: Uint8Array): void {
    const job = this.#jobs.get(number);
    if (!job) return;
    const reader = new BodyReader(body);
    if (type === EngineEventType.jobChunk) job.chunkReady();
    if (type === EngineEventType.jobProgress) job.advance(reader.f32());
    if (type !== EngineEventType.jobEnd) return;
    this.#jobs.delete(number);
    this.work.ended(job.tenant);
    this.#hold();
    job.finish(reader.i32(), reader.text());
  }

  #engineRecord(type: number, body: Uint8Array): void {
    const reader = new BodyReader(body);
    if (type === EngineEventType.model) {
      const [device, failed] = [reader.u8() === 1 ? 'cuda' : 'cpu', reader.u8() === 1] as const;
      const name = reader.text(reader.u16());
      this.#guard(undefined, () => this.#hooks.model?.({ name, device, failed, reason: reader.text() }));
      return;
    }
    const status = statusName(reader.i32());
    const name = reader.text(reader.u16());
    this.#guard(undefined, () => this.#hooks.kind?.(name, status, reader.text()));
    this.#notifySettled();
  }

  #notifySettled(): void {
    const waiting = this.#settled;
    this.#settled = [];
    this.#hold();
    for (const resolve of waiting) resolve();
  }

  #hold(): void {
    const awaited = !this.#destroyed && (this.work.isBusy || this.#settled.length > 0);
    if (awaited) AWAITED.add(this);
    else AWAITED.delete(this);
  }
}

const shared = (options: FlatOptions, tenant: CapacityShare): FlatOptions =>
  tenant === 'trial' ? { ...options, trial: true } : options;

function cancelOn(signal: AbortSignal, job: Job): void {
  const cancel = () => job.cancel();
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const forget = () => signal.removeEventListener('abort', cancel);
  job.done.then(forget, forget);
}
