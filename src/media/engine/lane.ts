import type { CapacityShare } from './capacity-share.ts';
import type { CarrierResult, LaneKind, LaneListener, PushResult } from './contract.ts';
import type { NativeEngine } from './native.ts';
import { EngineEventType } from './packed-records.ts';
import { EngineStatus, type StatusName, statusName } from './status.ts';

const NOTHING = new Uint8Array();

/** Identifies an open lane: slots are reused, generations are not. */
export interface LaneRef {
  readonly slot: number;
  readonly generation: number;
}

export class Lane<Event = unknown> {
  readonly kind: string;
  readonly slot: number;
  readonly generation: number;
  readonly tenant: CapacityShare;
  readonly usesVoiceUnderLoad: boolean;
  readonly #native: NativeEngine;
  readonly #decode: LaneKind<never, Event>['decode'];
  readonly #listener: LaneListener<Event>;
  #open = true;

  constructor(
    native: NativeEngine,
    kind: LaneKind<never, Event>,
    id: LaneRef & { readonly gaveWay: boolean },
    listener: LaneListener<Event>,
    tenant: CapacityShare,
  ) {
    this.kind = kind.name;
    this.slot = id.slot;
    this.generation = id.generation;
    this.usesVoiceUnderLoad = id.gaveWay;
    this.#native = native;
    this.#decode = kind.decode;
    this.#listener = listener;
    this.tenant = tenant;
  }

  get open(): boolean {
    return this.#open;
  }

  push(bytes: Uint8Array): PushResult {
    return pushResult(this.#native.push(this.slot, this.generation, bytes)) as PushResult;
  }

  pushCarrierJson(message: Uint8Array): CarrierResult {
    return pushResult(this.#native.pushCarrierJson(this.slot, this.generation, message));
  }

  /** A control keeps its place among the audio. */
  control(verb: number, body: Uint8Array = NOTHING): PushResult {
    return pushResult(this.#native.control(this.slot, this.generation, verb, body)) as PushResult;
  }

  /**
   * Bridges two lanes inside the engine, so that each hears the other. Where a lane `tells`, its listener gets its
   * audio too. Returns false when one of them has ended. A lane has one bridge at most: the newest.
   */
  join(other: LaneRef, { notifies = false, otherNotifies = false } = {}): boolean {
    const { slot, generation } = this;
    return (
      this.#native.join(slot, generation, other.slot, other.generation, notifies, otherNotifies) ===
      EngineStatus.ok
    );
  }

  part(): void {
    this.#native.part(this.slot, this.generation);
  }

  close(): void {
    this.#native.close(this.slot, this.generation, true);
  }

  drop(): void {
    this.#native.close(this.slot, this.generation, false);
  }

  deliver(type: number, flags: number, body: Uint8Array): boolean {
    if (type === EngineEventType.audio) {
      this.#listener.audio?.(body, flags);
      return false;
    }
    if (type !== EngineEventType.closed) {
      this.#listener.event?.(this.#decode(type, flags, body));
      return false;
    }
    const code = new DataView(body.buffer, body.byteOffset).getInt32(0, true);
    this.end(statusName(code));
    return true;
  }

  end(status: StatusName): void {
    if (!this.#open) return;
    this.#open = false;
    this.#listener.closed(status);
  }
}

function pushResult(code: number): CarrierResult {
  switch (code) {
    case EngineStatus.ok:
      return 'accepted';
    case EngineStatus.full:
      return 'full';
    case EngineStatus.invalid_argument:
      return 'too_large';
    case EngineStatus.not_media:
      return 'not_media';
    case EngineStatus.bad_message:
      return 'bad_message';
    default:
      return 'closed';
  }
}
