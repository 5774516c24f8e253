import type { SipEvent, SipOrder } from './program.ts';
import type { CallProgress } from './progress.ts';
import type { SipMedia } from './sip-media.ts';

export interface SipDialogDeps {
  readonly progress: CallProgress;
  readonly sound: SipMedia;
  readonly send: (order: SipOrder) => void;
  readonly unheld: () => void;
  /**
   * Calls `to` with an INVITE that replaces the far side's own call. Returns the id of the new dialog, or null where
   * `to` is outside of the trunk.
   */
  readonly follow: (to: string, replaces: string, sdp: string) => string | null;
  readonly moved: (from: string, to: string) => void;
  readonly dropped: (id: string) => void;
}

const FORBIDDEN = 403;
const NO_SUCH_CALL = 481;
const NOT_ACCEPTABLE = 488;
const UNAVAILABLE = 503;

/** The signalling dialog of a call. An attended transfer by the far side replaces the dialog, and the audio stays. */
export class SipDialog {
  readonly #deps: SipDialogDeps;
  #id: string;
  #next: string | null = null;

  constructor(deps: SipDialogDeps, id: string) {
    this.#deps = deps;
    this.#id = id;
  }

  get id(): string {
    return this.#id;
  }

  take(event: SipEvent): boolean {
    const { id = '', sdp = '' } = event;
    if (event.event === 'invite') this.#replace(id, sdp);
    else if (event.event === 'refer') this.#refer(String(event.to), String(event.replaces));
    else if (id === this.#id) return false;
    else if (event.event === 'answered') this.#answered(id, sdp);
    else if (event.event === 'ended') this.#failed(event.status ?? UNAVAILABLE);
    return true;
  }

  end(): void {
    if (this.#next !== null) this.#deps.send({ do: 'hangup', id: this.#next });
    this.#drop();
  }

  #drop(): void {
    if (this.#next !== null) this.#deps.dropped(this.#next);
    this.#next = null;
  }

  /** Another party replaces the far side (RFC 3891). */
  #replace(id: string, sdp: string): void {
    const { progress, sound, send } = this.#deps;
    if (progress.state.kind !== 'answered') {
      send({ do: 'respond', id, status: NO_SUCH_CALL });
      return;
    }
    const answer = sdp === '' ? sound.offer('sendrecv') : sound.answer(sdp)?.sdp;
    send({
      do: 'respond',
      id,
      ...(answer === undefined ? { status: NOT_ACCEPTABLE } : { status: 200, sdp: answer }),
    });
    if (answer !== undefined) this.#move(id);
  }

  #refer(to: string, replaces: string): void {
    const { progress, sound, follow } = this.#deps;
    const mayGo = progress.state.kind === 'answered' && this.#next === null;
    this.#next = mayGo ? follow(to, replaces, sound.offer('sendrecv')) : this.#next;
    if (!mayGo || this.#next === null) this.#notify(FORBIDDEN);
  }

  #answered(id: string, sdp: string): void {
    const agreed = this.#deps.sound.agree(sdp);
    this.#notify(agreed ? 200 : NOT_ACCEPTABLE);
    if (!agreed) this.#deps.send({ do: 'hangup', id });
    this.#drop();
    if (agreed) this.#move(id);
  }

  #failed(status: number): void {
    this.#drop();
    this.#notify(status >= 300 ? status : UNAVAILABLE);
  }

  #notify(status: number): void {
    this.#deps.send({ do: 'notify', id: this.#id, status });
  }

  #move(to: string): void {
    const from = this.#id;
    this.#id = to;
    this.#deps.moved(from, to);
    this.#deps.send({ do: 'hangup', id: from });
    this.#deps.unheld();
  }
}
