import { CarrierError } from '../contract.ts';
import type { PendingReinvite } from './pending-reinvite.ts';
import type { SipEvent, SipOrder } from './program.ts';
import type { CallProgress } from './progress.ts';
import type { SipMedia } from './sip-media.ts';

export interface SipCallEventsDeps {
  readonly id: () => string;
  readonly progress: CallProgress;
  readonly sound: SipMedia;
  readonly transferring: PendingReinvite;
  readonly changing: PendingReinvite;
  readonly send: (order: SipOrder) => void;
}

const END_OF_STATUS: Readonly<Record<number, 'busy' | 'no_answer' | 'rejected' | 'canceled'>> = {
  486: 'busy',
  600: 'busy',
  408: 'no_answer',
  480: 'no_answer',
  487: 'canceled',
  403: 'rejected',
  603: 'rejected',
  607: 'rejected',
};

/** Both sides made an offer at once. The retry waits for a time in the window that RFC 3261 gives to the caller. */
const REQUEST_PENDING = 491;
const AGAIN_MS = { least: 2_100, most: 4_000 };

/** The pending transfer settles before the call ends. */
const defer = (task: () => void): void => void setImmediate(task);

export class SipCallEvents {
  readonly #deps: SipCallEventsDeps;
  /** The far side's offer is answered: its acknowledgement connects the call. */
  #answeredTheirs = false;
  #held = false;

  constructor(deps: SipCallEventsDeps) {
    this.#deps = deps;
  }

  answeredTheirs(): void {
    this.#answeredTheirs = true;
  }

  get held(): boolean {
    return this.#held;
  }

  take(event: SipEvent): void {
    const { sdp = '', status = 0, phrase = '' } = event;
    const { transferring } = this.#deps;
    const kind = event.event;
    if (kind === 'progress') this.#progress(sdp);
    else if (kind === 'answered' || kind === 'ack') this.#answered(sdp);
    else if (kind === 'confirmed' && this.#answeredTheirs) this.#connected();
    else if (kind === 'changed') this.#changed(sdp);
    else if (kind === 'agreed') this.#agreed(sdp);
    else if (kind === 'disagreed') this.#disagreed(status, phrase);
    else if (kind === 'referred' && status >= 300)
      transferring.settle(
        new CarrierError('refused', `the trunk rejected the transfer: ${status} ${phrase}`),
      );
    else if (kind === 'notify') this.#onNotify(String(event.body ?? ''));
    else if (kind === 'ended') this.#over(status, phrase, String(event.by));
  }

  refuse(status: number, detail: string): void {
    const { id, progress, send } = this.#deps;
    send({ do: 'respond', id: id(), status });
    progress.end({ reason: 'failed', detail });
  }

  fail(detail: string): void {
    const { id, progress, send } = this.#deps;
    if (progress.state.kind === 'ended') return;
    send({ do: 'hangup', id: id() });
    progress.end({ reason: 'failed', detail });
  }

  #progress(sdp: string): void {
    const { progress, sound } = this.#deps;
    const { kind } = progress.state;
    if (kind !== 'dialing' && kind !== 'ringing') return;
    const early = sdp !== '' && sound.agree(sdp) ? sound.leg : null;
    if (kind === 'dialing' || early !== null) progress.become({ kind: 'ringing', early });
  }

  #answered(sdp: string): void {
    const { progress, sound } = this.#deps;
    if (sound.agree(sdp)) this.#connected();
    else if (progress.state.kind === 'ringing' && sdp === '')
      this.#connected(); // The earlier agreement stands.
    else this.fail('the SDP answer accepts none of the codecs offered');
  }

  #connected(): void {
    const { progress, sound } = this.#deps;
    if (progress.state.kind === 'answered' || sound.leg === null) return;
    progress.become({ kind: 'answered', media: sound.leg });
  }

  #changed(sdp: string): void {
    const { id, sound, send } = this.#deps;
    const answer = sdp === '' ? { sdp: sound.offer('sendrecv'), held: false } : sound.answer(sdp);
    if (answer === null) {
      send({ do: 'respond', id: id(), status: 488 });
      return;
    }
    send({ do: 'respond', id: id(), status: 200, sdp: answer.sdp });
    this.holds(answer.held);
  }

  holds(on: boolean): void {
    if (on === this.#held) return;
    this.#held = on;
    this.#deps.progress.listener?.held?.(on);
  }

  #agreed(sdp: string): void {
    const { sound, changing } = this.#deps;
    if (sound.agree(sdp)) changing.settle(null);
    else this.fail('the SDP answer accepts none of the codecs offered');
  }

  #disagreed(status: number, phrase: string): void {
    const { changing } = this.#deps;
    const wait = AGAIN_MS.least + Math.random() * (AGAIN_MS.most - AGAIN_MS.least);
    if (status === REQUEST_PENDING && changing.again(wait)) return;
    changing.settle(
      new CarrierError('refused', `the other party rejected the change of media: ${status} ${phrase}`),
    );
  }

  /** The NOTIFY reports the outcome of a REFER, such as `SIP/2.0 200 OK`. */
  #onNotify(fragment: string): void {
    const { id, progress, transferring, send } = this.#deps;
    const status = Number(/^SIP\/2\.0 ([0-9]{3})/.exec(fragment)?.[1] ?? 100);
    if (status < 200) return;
    if (status >= 300) {
      transferring.settle(new CarrierError('refused', `the transfer target did not answer: ${status}`));
      return;
    }
    transferring.settle(null);
    send({ do: 'hangup', id: id() });
    defer(() => progress.end({ reason: 'completed', by: 'them' }));
  }

  #over(status: number, phrase: string, by: string): void {
    const { progress } = this.#deps;
    if (progress.state.kind === 'answered' && by === 'nobody') {
      progress.end({ reason: 'failed', detail: phrase || 'the signalling has ended the call' });
      return;
    }
    if (progress.state.kind === 'answered') {
      // A pending transfer fails with the call, since no NOTIFY can follow.
      progress.end({ reason: 'completed', by: by === 'them' ? 'them' : 'us' });
      return;
    }
    const reason = END_OF_STATUS[status];
    if (reason !== undefined) progress.end({ reason });
    else
      progress.end({
        reason: 'failed',
        detail: status === 0 ? phrase || 'no answer' : `${status} ${phrase}`,
      });
  }
}
