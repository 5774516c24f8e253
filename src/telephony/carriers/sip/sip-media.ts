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
  /** Enciphered signalling: then sound is enciphered too. */
  readonly secure: boolean;
  /** Our address towards the trunk. */
  readonly address: string;
  /** The trunk's own, from which sound may come besides the address that it names. */
  readonly networks: () => readonly string[];
  readonly openLeg: (bind: string, listener: RtpLegListener) => Promise<RtpLeg>;
}

/** A call's sound, and what both sides have agreed on about it (RFC 3264). */
export class SipMedia {
  readonly #deps: SipMediaDeps;
  readonly #listener: RtpLegListener;
  readonly #session = { id: Math.floor(Math.random() * 2 ** 31), version: 1 };
  #leg: RtpLeg | null = null;
  /** Our description that the other side has not answered yet. */
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

  /** Whether an answer to this offer could be found. */
  canAnswer(sdp: string): boolean {
    const theirs = readSdp(sdp);
    return theirs !== null && answerTo(theirs, this.#own(), this.#deps.abilities, this.#before) !== null;
  }

  /** Our answer, and whether they hold the call; the engine speaks as agreed from then on. Null: nothing in common. */
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

  /** Their answer to our offer. False: it takes nothing of it. */
  agree(sdp: string): boolean {
    const theirs = readSdp(sdp);
    const offered = this.#offered;
    const setup = theirs === null || offered === null ? null : agreedOn(theirs, offered);
    if (setup === null || offered === null) return false;
    this.#use(setup, offered);
    return true;
  }

  /** As events, or in the sound where the other side knows none. */
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
