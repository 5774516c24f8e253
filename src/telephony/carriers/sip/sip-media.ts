import type { RtpSetup } from '../../../media/engine/index.ts';
import { keySound } from '../tones.ts';
import {
  agreedOn,
  answerTo,
  type LocalEndpoint,
  offerOf,
  type PreviousNegotiation,
  type SipCapabilities,
} from './negotiation.ts';
import type { RtpLeg, RtpLegListener } from './rtp-leg.ts';
import { type Direction, type OwnDescription, readSdp, writeSdp } from './sdp.ts';

export interface SipMediaDeps {
  readonly abilities: SipCapabilities;
  /** Encrypted signalling requires encrypted audio. */
  readonly secure: boolean;
  readonly address: string;
  /** The trunk's own addresses, from which audio may come besides the address in its description. */
  readonly networks: () => readonly string[];
  readonly openLeg: (bind: string, listener: RtpLegListener) => Promise<RtpLeg>;
}

export class SipMedia {
  readonly #deps: SipMediaDeps;
  readonly #listener: RtpLegListener;
  readonly #session = { id: Math.floor(Math.random() * 2 ** 31), version: 1 };
  #leg: RtpLeg | null = null;
  #offered: OwnDescription | null = null;
  #before: PreviousNegotiation = { codec: null, crypto: null };
  #keysAs: 'events' | 'sound' = 'events';
  #closed = false;

  constructor(deps: SipMediaDeps, listener: RtpLegListener) {
    this.#deps = deps;
    this.#listener = listener;
  }

  get leg(): RtpLeg | null {
    return this.#leg;
  }

  async open(): Promise<void> {
    this.#leg = await this.#deps.openLeg(this.#deps.address, this.#listener);
    if (this.#closed) this.#leg.close();
  }

  close(): void {
    this.#closed = true;
    this.#leg?.close();
  }

  offer(direction: Direction): string {
    const { abilities, secure } = this.#deps;
    this.#session.version++;
    this.#offered = offerOf(this.#own(), abilities, secure, direction, this.#before);
    return writeSdp(this.#offered);
  }

  canAnswer(sdp: string): boolean {
    const theirs = readSdp(sdp);
    return theirs !== null && answerTo(theirs, this.#own(), this.#deps.abilities, this.#before) !== null;
  }

  /**
   * Returns the answer and whether the far side holds the call, and applies the agreement to the engine. Returns null
   * without a common codec.
   */
  answer(sdp: string): { readonly sdp: string; readonly held: boolean } | null {
    const theirs = readSdp(sdp);
    this.#session.version++;
    const { abilities } = this.#deps;
    const agreement = theirs === null ? null : answerTo(theirs, this.#own(), abilities, this.#before);
    if (theirs === null || agreement === null) return null;
    this.#use(agreement.setup, agreement.answer);
    const held =
      theirs.direction === 'sendonly' || theirs.direction === 'inactive' || theirs.address === '0.0.0.0';
    return { sdp: writeSdp(agreement.answer), held };
  }

  /** Applies the far side's answer. Returns false where it accepts nothing of the offer. */
  agree(sdp: string): boolean {
    const theirs = readSdp(sdp);
    const offered = this.#offered;
    const setup = theirs === null || offered === null ? null : agreedOn(theirs, offered);
    if (setup === null || offered === null) return false;
    this.#use(setup, offered);
    return true;
  }

  /** The digits go as telephone events, or as tones where the far side accepts none. */
  press(digits: string): void {
    if (this.#keysAs === 'events') this.#leg?.press(digits);
    else for (const digit of digits) this.#leg?.send(keySound(digit));
  }

  #use(setup: RtpSetup, own: OwnDescription): void {
    this.#keysAs = setup.events === undefined ? 'sound' : 'events';
    this.#leg?.setUp({ ...setup, networks: this.#deps.networks() });
    this.#before = { codec: setup.speak, crypto: own.crypto };
  }

  #own(): LocalEndpoint {
    return { address: this.#deps.address, port: this.#leg?.port ?? 0, session: this.#session };
  }
}
