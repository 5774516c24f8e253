import { type Abilities, agreedOn, answerTo, type OwnSide, offerOf } from './negotiation.ts';
import type { RtpLeg, RtpLegListener } from './rtp-leg.ts';
import { type Direction, type OwnDescription, readSdp, writeSdp } from './sdp.ts';

export interface CallSoundDeps {
  readonly abilities: Abilities;
  /** Enciphered signalling: then sound is enciphered too. */
  readonly secure: boolean;
  /** Our address towards the trunk. */
  readonly address: string;
  readonly openLeg: (bind: string, listener: RtpLegListener) => Promise<RtpLeg>;
}

/** A call's sound, and what both sides have agreed on about it (RFC 3264). */
export class CallSound {
  readonly #deps: CallSoundDeps;
  readonly #session = { id: Math.floor(Math.random() * 2 ** 31), version: 1 };
  #leg: RtpLeg | null = null;
  /** Our description that the other side has not answered yet. */
  #offered: OwnDescription | null = null;
  #closed = false;

  constructor(deps: CallSoundDeps) {
    this.#deps = deps;
  }

  get leg(): RtpLeg | null {
    return this.#leg;
  }

  async open(listener: RtpLegListener): Promise<void> {
    this.#leg = await this.#deps.openLeg(this.#deps.address, listener);
    if (this.#closed) this.#leg.close();
  }

  close(): void {
    this.#closed = true;
    this.#leg?.close();
  }

  offer(direction: Direction): string {
    this.#offered = offerOf(this.#own(), this.#deps.abilities, this.#deps.secure, direction);
    this.#session.version++;
    return writeSdp(this.#offered);
  }

  /** Whether an answer to this offer could be found. */
  canAnswer(sdp: string): boolean {
    const theirs = readSdp(sdp);
    return theirs !== null && answerTo(theirs, this.#own(), this.#deps.abilities) !== null;
  }

  /** Our answer, and whether they hold the call; the engine speaks as agreed from then on. Null: nothing in common. */
  answer(sdp: string): { readonly sdp: string; readonly held: boolean } | null {
    const theirs = readSdp(sdp);
    const agreement = theirs === null ? null : answerTo(theirs, this.#own(), this.#deps.abilities);
    if (theirs === null || agreement === null) return null;
    this.#session.version++;
    this.#leg?.setUp(agreement.setup);
    const held = theirs.direction === 'sendonly' || theirs.direction === 'inactive';
    return { sdp: writeSdp(agreement.answer), held };
  }

  /** Their answer to our offer. False: it takes nothing of it. */
  agree(sdp: string): boolean {
    const theirs = readSdp(sdp);
    const setup = theirs === null || this.#offered === null ? null : agreedOn(theirs, this.#offered);
    if (setup !== null) this.#leg?.setUp(setup);
    return setup !== null;
  }

  #own(): OwnSide {
    return { address: this.#deps.address, port: this.#leg?.port ?? 0, session: this.#session };
  }
}
