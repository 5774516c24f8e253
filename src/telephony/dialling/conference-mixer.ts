import type { Clock } from '../../foundation/platform/clock.ts';
import { mixAudio } from '../../media/engine/index.ts';
import { AudioFrameQueue, FRAME_MS } from './audio-frame-queue.ts';
import { type MixerFormat, ULAW } from './mixer-format.ts';

/** A participant is audible to all, to the call's own side only (`part`), or to no participant. */
export type AudibleTo = 'all' | 'part' | 'nobody';

export interface ConferenceListener {
  hear(frames: Uint8Array): void;
}

export interface ConferenceParticipant {
  audibleTo: AudibleTo;
  say(frames: Uint8Array): void;
  clearQueued(): void;
  leave(): void;
}

/** The bound is above the 200 ms that an agent's audio is sent ahead. */
const MOST_WAITING_MS = 500;

class MixerParticipant implements ConferenceParticipant {
  readonly #company: ConferenceMixer;
  readonly hearing: ConferenceListener;
  readonly isPart: boolean;
  readonly queue: AudioFrameQueue;
  audibleTo: AudibleTo;

  constructor(company: ConferenceMixer, hearing: ConferenceListener, audibleTo: AudibleTo, isPart: boolean) {
    this.#company = company;
    this.hearing = hearing;
    this.audibleTo = audibleTo;
    this.isPart = isPart;
    this.queue = new AudioFrameQueue(MOST_WAITING_MS, company.format);
  }

  isHeardBy(listener: MixerParticipant): boolean {
    if (listener === this || this.audibleTo === 'nobody') return false;
    return this.audibleTo === 'all' || listener.isPart;
  }

  say(frames: Uint8Array): void {
    this.#company.said(this, frames);
  }

  clearQueued(): void {
    this.queue.clear();
  }

  leave(): void {
    this.#company.left(this);
  }
}

/**
 * Mixes the participants of a line. A participant who hears one voice gets its audio at once; one who hears several
 * gets their mix every 20 ms.
 */
export class ConferenceMixer {
  readonly format: MixerFormat;
  readonly #clock: Clock;
  readonly #chairs = new Set<MixerParticipant>();
  #stop: () => void = () => undefined;
  #began = 0;
  #mixedMs = 0;
  #runs = false;

  constructor(clock: Clock, format: MixerFormat = ULAW) {
    this.#clock = clock;
    this.format = format;
  }

  addParticipant(hearing: ConferenceListener, audibleTo: AudibleTo, isPart = false): ConferenceParticipant {
    const chair = new MixerParticipant(this, hearing, audibleTo, isPart);
    this.#chairs.add(chair);
    return chair;
  }

  said(speaker: MixerParticipant, frames: Uint8Array): void {
    if (!this.#chairs.has(speaker)) return;
    let mixed = false;
    for (const listener of this.#chairs) {
      if (!speaker.isHeardBy(listener)) continue;
      if (this.#voicesFor(listener).length === 1) listener.hearing.hear(frames);
      else mixed = true;
    }
    if (!mixed) return;
    speaker.queue.push(frames);
    this.#run();
  }

  left(chair: MixerParticipant): void {
    this.#chairs.delete(chair);
    if (this.#chairs.size > 0) return;
    this.#stop();
    this.#runs = false;
  }

  #voicesFor(listener: MixerParticipant): MixerParticipant[] {
    return [...this.#chairs].filter((speaker) => speaker.isHeardBy(listener));
  }

  #run(): void {
    if (this.#runs) return;
    this.#runs = true;
    this.#began = this.#clock.monotonic();
    this.#mixedMs = 0;
    this.#stop = this.#clock.after(FRAME_MS, () => this.#turn());
  }

  /** Mixes as many frames as the clock advanced; after a pause of the process, no more than what is queued. */
  #turn(): void {
    const elapsed = this.#clock.monotonic() - this.#began;
    if (elapsed - this.#mixedMs > MOST_WAITING_MS) this.#mixedMs = elapsed - MOST_WAITING_MS;
    for (; this.#runs && this.#mixedMs + FRAME_MS <= elapsed; this.#mixedMs += FRAME_MS) this.#mix();
    const listeners = [...this.#chairs].some((one) => this.#voicesFor(one).length > 1);
    this.#runs &&= listeners;
    if (this.#runs) this.#stop = this.#clock.after(FRAME_MS, () => this.#turn());
    else for (const { queue } of this.#chairs) queue.clear();
  }

  #mix(): void {
    const said = new Map<MixerParticipant, Uint8Array>();
    for (const chair of this.#chairs) {
      const frame = chair.queue.take();
      if (frame !== null) said.set(chair, frame);
    }
    for (const listener of this.#chairs) {
      const voices = this.#voicesFor(listener);
      if (voices.length < 2) continue;
      const heard = voices.flatMap((voice) => said.get(voice) ?? []);
      listener.hearing.hear(this.#mixed(heard));
    }
  }

  #mixed(voices: readonly Uint8Array[]): Uint8Array {
    if (voices.length === 1) return voices[0]!;
    return mixAudio(this.format.wire, voices, FRAME_MS * this.format.bytesPerMs);
  }
}
