import type { Clock } from '../../../foundation/platform/clock.ts';
import {
  type CarrierCall,
  CarrierError,
  type IncomingCall,
  type LegListener,
  type LegState,
  type RejectReason,
} from '../contract.ts';
import { SipDialog, type SipDialogDeps } from './dialog.ts';
import { KeyMerger, keyOfInfo } from './key-merger.ts';
import { PendingReinvite } from './pending-reinvite.ts';
import type { SipEvent, SipOrder } from './program.ts';
import { CallProgress } from './progress.ts';
import { SipCallEvents } from './sip-call-events.ts';
import { SipMedia, type SipMediaDeps } from './sip-media.ts';

export interface SipCallDeps extends SipMediaDeps {
  readonly clock: Clock;
  readonly send: (order: SipOrder) => void;
  readonly refers: boolean;
  readonly uriOf: (number: string) => string;
  readonly follow: SipDialogDeps['follow'];
  readonly moved: SipDialogDeps['moved'];
  readonly dropped: SipDialogDeps['dropped'];
  readonly ended: (call: SipCall) => void;
  readonly partner: (
    call: SipCall,
    other: CarrierCall,
  ) => { readonly to: string; readonly with: string } | null;
}

export interface SipParties {
  readonly id: string;
  readonly reference: string;
  readonly from: string;
  readonly to: string;
}

const STATUS_OF_REJECTION: Readonly<Record<RejectReason, number>> = {
  busy: 486,
  rejected: 603,
  unknown: 404,
};
const PAUSE_OF_W_MS = 500;
const NOT_OVER_TLS =
  'no response from the trunk: it is not reachable over TLS, or its certificate is not trusted (TRUNKLINE_SIP_TLS_CA)';
const NOTHING_IN_COMMON = 'no codec in common';

export class SipCall implements IncomingCall {
  readonly reference: string;
  readonly from: string;
  readonly to: string;
  readonly #deps: SipCallDeps;
  readonly #dialog: SipDialog;
  readonly #progress: CallProgress;
  readonly #sound: SipMedia;
  readonly #keys: KeyMerger;
  readonly #asked: { readonly transferring: PendingReinvite; readonly changing: PendingReinvite };
  readonly #events: SipCallEvents;
  #ringing = { theirs: '', stop: (): void => undefined };

  constructor(deps: SipCallDeps, { id, reference, from, to }: SipParties) {
    this.#deps = deps;
    this.reference = reference;
    this.from = from;
    this.to = to;
    this.#keys = new KeyMerger(deps.clock, (digit) => this.#progress.listener?.key(digit));
    this.#sound = new SipMedia(deps, {
      key: (digit) => this.#keys.take(digit, 'sound'),
      silence: (state) => {
        if (state === 'dead' && !this.#events.held) this.#events.fail('no RTP packet was received for 20 s');
      },
      failed: (reason) => this.#events.fail(reason),
    });
    this.#asked = {
      transferring: new PendingReinvite(deps.clock, 'the transfer'),
      changing: new PendingReinvite(deps.clock, 'the change of the call'),
    };
    this.#progress = new CallProgress(() => this.#ended());
    const common = { progress: this.#progress, sound: this.#sound, send: deps.send };
    const { follow, moved, dropped } = deps;
    const unheld = () => this.#events.holds(false);
    const dialog = new SipDialog({ ...common, follow, moved, dropped, unheld }, id);
    this.#dialog = dialog;
    this.#events = new SipCallEvents({ ...common, ...this.#asked, id: () => dialog.id });
  }

  get id(): string {
    return this.#dialog.id;
  }

  get state(): LegState {
    return this.#progress.state;
  }

  /** Rejects where the engine or the port range is full. */
  async dial(listener: LegListener, ringMs: number, order: Omit<SipOrder, 'do' | 'sdp'>): Promise<void> {
    this.#progress.begin(listener, 'dialing');
    await this.#sound.open();
    this.#ringing.stop = this.#deps.clock.after(ringMs, () => {
      if (this.state.kind === 'answered') return;
      const unheard = this.state.kind === 'dialing' && order.transport === 'tls';
      this.#deps.send({ do: 'hangup', id: this.id });
      this.#progress.end(unheard ? { reason: 'failed', detail: NOT_OVER_TLS } : { reason: 'no_answer' });
    });
    this.#deps.send({ ...order, do: 'invite', id: this.id, sdp: this.#sound.offer('sendrecv') });
  }

  /** An empty `sdp` means that the far side leaves the offer to this side. */
  ring(listener: LegListener, sdp: string): void {
    this.#progress.begin(listener, 'ringing');
    this.#ringing.theirs = sdp;
    if (sdp !== '' && !this.#sound.canAnswer(sdp)) this.#events.refuse(488, NOTHING_IN_COMMON);
    else this.#deps.send({ do: 'respond', id: this.id, status: 180 });
  }

  async answer(): Promise<void> {
    if (this.state.kind !== 'ringing' || this.#sound.leg !== null) return;
    try {
      await this.#sound.open();
    } catch (error) {
      this.#events.refuse(503, (error as Error).message);
      return;
    }
    if (this.state.kind !== 'ringing') return;
    const { theirs } = this.#ringing;
    if (theirs !== '') this.#events.answeredTheirs();
    const sdp = theirs === '' ? this.#sound.offer('sendrecv') : this.#sound.answer(theirs)?.sdp;
    if (sdp === undefined) this.#events.refuse(488, NOTHING_IN_COMMON);
    else this.#deps.send({ do: 'respond', id: this.id, status: 200, sdp });
  }

  async reject(reason: RejectReason): Promise<void> {
    if (this.state.kind !== 'ringing') return;
    this.#deps.send({ do: 'respond', id: this.id, status: STATUS_OF_REJECTION[reason] });
    this.#progress.end({ reason: reason === 'busy' ? 'busy' : 'rejected' });
  }

  async hangUp(): Promise<void> {
    if (this.state.kind === 'ended') return;
    this.#deps.send({ do: 'hangup', id: this.id });
    const answered = this.state.kind === 'answered';
    this.#progress.end(answered ? { reason: 'completed', by: 'us' } : { reason: 'canceled' });
  }

  async sendKeys(digits: string): Promise<void> {
    let at = 0;
    for (const part of digits.split(/(w)/i)) {
      if (part.toLowerCase() === 'w') at += PAUSE_OF_W_MS;
      else if (part !== '') this.#deps.clock.after(at, () => this.#sound.press(part.toUpperCase()));
    }
  }

  async hold(on: boolean): Promise<void> {
    if (this.state.kind !== 'answered') return;
    const direction = on ? 'sendonly' : 'sendrecv';
    await this.#asked.changing.begin(() =>
      this.#deps.send({ do: 'change', id: this.id, sdp: this.#sound.offer(direction) }),
    );
  }

  get canTransfer(): boolean {
    return this.#deps.refers;
  }

  async transfer(to: string): Promise<void> {
    if (!this.canTransfer) throw new CarrierError('refused', 'the trunk does not support `refer`');
    if (this.state.kind !== 'answered') throw new CarrierError('refused', 'the call is not answered');
    await this.#asked.transferring.begin(() =>
      this.#deps.send({ do: 'refer', id: this.id, to: this.#deps.uriOf(to) }),
    );
  }

  async connect(other: CarrierCall): Promise<void> {
    const partner = other.state.kind === 'answered' ? this.#deps.partner(this, other) : null;
    if (partner === null || this.state.kind !== 'answered')
      throw new CarrierError('refused', 'the trunk does not allow a transfer between these calls');
    await this.#asked.transferring.begin(() => this.#deps.send({ do: 'refer', id: this.id, ...partner }));
  }

  take(event: SipEvent): void {
    if (event.event === 'info') this.#informed(String(event.body ?? ''));
    else if (!this.#dialog.take(event)) this.#events.take(event);
  }

  #informed(body: string): void {
    const digit = keyOfInfo(body);
    if (digit !== null && this.state.kind === 'answered') this.#keys.take(digit, 'signalling');
  }

  lost(how: string): void {
    this.#progress.end({ reason: 'failed', detail: `the signalling program has ended: ${how}` });
  }

  #ended(): void {
    this.#ringing.stop();
    this.#dialog.end();
    const over = new CarrierError('refused', 'the call has ended');
    this.#asked.transferring.settle(over);
    this.#asked.changing.settle(over);
    this.#sound.close();
    this.#deps.ended(this);
  }
}
