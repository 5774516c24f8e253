import type { Admission, Principal, TenantScope } from '../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../foundation/access/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { newId } from '../../foundation/platform/ids.ts';
import type { Log } from '../../foundation/platform/log.ts';
import {
  type CarrierCall,
  CarrierError,
  type LegEnd,
  type LegListener,
  type LegState,
  type MediaLeg,
} from '../carriers/index.ts';
import { CallMedia } from './call-media.ts';
import { CallTranscriptWriter } from './call-transcript-writer.ts';
import { CallWatchdog } from './call-watchdog.ts';
import type { CallEnding } from './contract.ts';
import { PhoneCallRecorder, type SegmentRecorder } from './phone-call-recorder.ts';
import type { TelephonyCallStore } from './telephony-call-store.ts';
import { TransferSlot } from './transfer-slot.ts';

export interface CallFlow {
  answered(call: PhoneCall, media: CallMedia): void;
  /** The call is over, whichever side ended it; it may not have been answered. */
  ended(ending: CallEnding): void;
  /** Gives the line back to an agent that begins with these words. A call without agents does not have the method. */
  resume?(call: PhoneCall, media: CallMedia, greeting: string): Promise<void>;
}

export interface PhoneCallDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly records: TelephonyCallStore;
  readonly recorder?: SegmentRecorder;
  /** The call is over and its end is written. */
  readonly over: (call: PhoneCall) => void;
}

export interface PhoneCallOrder {
  readonly id: string;
  readonly callId: string;
  readonly principal: Principal;
  readonly admission: Admission;
  readonly plan: CallFlow;
  readonly maxDurationMs: number;
  readonly recordsOn: boolean;
}

type State =
  | { readonly kind: 'coming' }
  | { readonly kind: 'answered'; readonly media: CallMedia; readonly watch: CallWatchdog }
  /** The carrier has connected the other side elsewhere, and the call goes on there. */
  | { readonly kind: 'transferred'; readonly media: CallMedia; readonly watch: CallWatchdog }
  | { readonly kind: 'over' };

export class PhoneCall implements LegListener {
  readonly id: string;
  readonly callId: string;
  readonly scope: TenantScope;
  readonly principal: Principal;
  readonly plan: CallFlow;
  readonly scribe: CallTranscriptWriter;
  /** The recorder is null when recordings end with their agents. */
  readonly tape: PhoneCallRecorder | null;
  readonly transfers = new TransferSlot();
  leg: Promise<CarrierCall> | null = null;
  readonly #deps: PhoneCallDeps;
  readonly #order: PhoneCallOrder;
  readonly #watchers: (() => void)[] = [];
  #state: State = { kind: 'coming' };
  #asked: CallEnding | null = null;
  #hadSession = false;

  constructor(deps: PhoneCallDeps, order: PhoneCallOrder) {
    this.#deps = deps;
    this.#order = order;
    this.id = order.id;
    this.callId = order.callId;
    this.principal = order.principal;
    this.plan = order.plan;
    this.scope = tenantScopeOf(order.principal);
    const { recorder, clock } = deps;
    this.tape = recorder !== undefined && order.recordsOn ? new PhoneCallRecorder(recorder, clock) : null;
    this.scribe = new CallTranscriptWriter(deps.records, clock, deps.log, this.scope, this.id);
  }

  /** The first session has the call's own id. */
  nextSessionId(): string {
    const id = this.#hadSession ? newId('ocl') : this.callId;
    this.#hadSession = true;
    return id;
  }

  follow(leg: Promise<CarrierCall>): void {
    this.leg = leg;
    leg.then(
      ({ reference }) => this.scribe.note({ reference }),
      (error: Error) => this.#finish({ reason: 'failed', detail: error.message }),
    );
  }

  get media(): CallMedia | null {
    return this.#state.kind === 'answered' ? this.#state.media : null;
  }

  get isOver(): boolean {
    return this.#state.kind === 'over';
  }

  state(state: LegState): void {
    if (state.kind === 'ringing') void this.scribe.ringing();
    else if (state.kind === 'answered') this.#answered(state.media);
    else if (state.kind === 'transferred') this.#state = handedOn(this.#state, this.tape);
    else if (state.kind === 'ended') this.#finish(this.#asked ?? endingOf(state.end));
  }

  key(digit: string): void {
    this.media?.key(digit);
  }

  held(on: boolean): void {
    this.media?.held(on);
  }

  /** Hangs up. The record gets `ending`, unless the other side hung up first. */
  end(ending: CallEnding): void {
    if (this.#state.kind === 'over') return;
    this.#asked ??= ending;
    const leg = this.leg;
    if (leg === null) this.#finish(ending);
    else leg.then((call) => call.hangUp()).catch((error: Error) => this.scribe.fault(error, 'hang up'));
  }

  /**
   * Has the carrier connect the other side with `to`, for the rest of the call's maximum duration and credit. Rejects
   * with CarrierError or ApiError, and the call goes on.
   */
  async transfer(to: string): Promise<void> {
    const state = this.#state;
    const leg = await this.leg;
    if (state.kind !== 'answered' || leg === null)
      throw new CarrierError('refused', 'the call is not answered');
    try {
      await leg.transfer(to, await state.watch.reserveRemaining());
    } catch (error) {
      state.watch.releaseRemaining();
      throw error;
    }
    this.endsAs({ reason: 'completed', detail: `transferred to ${to}` });
  }

  endsAs(ending: CallEnding | null): void {
    this.#asked = ending;
  }

  whenOver(task: () => void): void {
    this.#watchers.push(task);
  }

  #answered(leg: MediaLeg): void {
    if (this.#state.kind !== 'coming') return;
    const { clock } = this.#deps;
    const { admission, maxDurationMs } = this.#order;
    const media = new CallMedia(leg, clock);
    const end = (ending: CallEnding) => this.end(ending);
    const failed = (error: unknown) => this.scribe.fault(error, 'check its caps');
    const oneWay = () => void this.scribe.oneWay(media.quality());
    const watch = new CallWatchdog({ clock, media, admission, maxDurationMs, end, oneWay, failed });
    this.#state = { kind: 'answered', media, watch };
    void this.scribe.answered();
    this.plan.answered(this, media);
  }

  #finish(ending: CallEnding): void {
    const state = this.#state;
    if (state.kind === 'over') return;
    this.#state = { kind: 'over' };
    const { admission } = this.#order;
    const { reservationId: hold } = admission;
    const sound = state.kind === 'coming' ? { talkedMs: 0, quality: {} } : soundOf(state);
    const written = this.scribe.end({ ending, hold, ...sound });
    admission.settling(written);
    void admission.release();
    this.plan.ended(ending);
    for (const task of this.#watchers.splice(0)) task();
    void this.tape?.over();
    void written.then(() => this.#deps.over(this));
  }
}

/** The transferred call stays metered, as on hold, until the carrier reports its end. */
function handedOn(state: State, tape: PhoneCallRecorder | null): State {
  if (state.kind !== 'answered') return state;
  state.media.held(true);
  state.media.setHandler(null);
  void tape?.over();
  return { ...state, kind: 'transferred' };
}

function soundOf({ media, watch }: Extract<State, { readonly media: CallMedia }>) {
  watch.stop();
  const sound = { talkedMs: media.talkedMs, quality: media.quality() };
  media.setHandler(null);
  return sound;
}

function endingOf(end: LegEnd): CallEnding {
  if (end.reason === 'failed') return { reason: 'failed', detail: end.detail };
  return { reason: end.reason, detail: end.reason === 'completed' ? `hung up by ${end.by}` : null };
}
