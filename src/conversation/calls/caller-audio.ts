import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import { convertAudio, resample } from '../../media/engine/index.ts';
import type { ProviderUse } from '../../speech/providers/index.ts';
import { CALLER_AUDIO_RATE, type CallerAudio } from '../brains/index.ts';
import type { LaneEvent } from '../session/index.ts';
import { BrainUses } from './brain-uses.ts';
import type { FeedRequest } from './provided-lane.ts';
import type { CallRate } from './voice-engine.ts';

/** Speech is detected some time after its beginning. */
const LEAD_MS = 800;
/** The text alone stands for a longer utterance. */
const MAX_MS = 60_000;

interface Utterance {
  /** The audio, as it came. */
  readonly audio: Uint8Array[];
  bytes: number;
  text: string;
}

/** Keeps the sound of the caller's last utterance for a brain that hears it. */
export class CallerAudioTap {
  readonly #rate: CallRate;
  readonly #bytesOfMs: number;
  readonly #codec: 'ulaw' | undefined;
  readonly #uses: BrainUses;
  /** The newest audio, as it came. */
  readonly #lead: Uint8Array[] = [];
  #leadBytes = 0;
  #last: Utterance | null = null;
  #isSpeaking = false;

  constructor(
    { rate, codec }: { readonly rate: CallRate; readonly codec?: 'ulaw' | undefined },
    clock: Pick<Clock, 'monotonic'> = systemClock,
  ) {
    this.#rate = rate;
    this.#codec = codec;
    this.#bytesOfMs = (rate * (codec === 'ulaw' ? 1 : 2)) / 1_000;
    this.#uses = new BrainUses(clock);
  }

  get providerUse(): readonly ProviderUse[] {
    return this.#uses.all;
  }

  push(bytes: Uint8Array): void {
    const copy = Uint8Array.from(bytes);
    if (this.#isSpeaking && this.#last !== null) {
      this.#append(this.#last, copy);
      return;
    }
    this.#lead.push(copy);
    this.#leadBytes += copy.length;
    while (this.#leadBytes > LEAD_MS * this.#bytesOfMs && this.#lead.length > 1)
      this.#leadBytes -= (this.#lead.shift() as Uint8Array).length;
  }

  take(event: LaneEvent | FeedRequest): void {
    switch (event.kind) {
      case 'speech_start':
        this.#begin();
        break;
      case 'eager_end':
        if (this.#last !== null) this.#last.text = event.text;
        break;
      case 'final':
        if (this.#last !== null) this.#last.text = event.text;
        this.#isSpeaking = false;
        break;
      case 'lost':
      case 'backchannel':
        this.#last = null;
        this.#isSpeaking = false;
    }
  }

  /** Returns null where the message does not end with the last utterance: it was typed, or is older. */
  of(message: string): CallerAudio | null {
    const last = this.#last;
    if (last === null || last.text === '' || last.bytes > MAX_MS * this.#bytesOfMs) return null;
    if (!message.endsWith(last.text)) return null;
    const ms = last.bytes / this.#bytesOfMs;
    const audio = Buffer.concat(last.audio);
    const pcm = this.#codec === 'ulaw' ? convertAudio('pcmu', audio, 'pcm16') : audio;
    return {
      text: last.text,
      pcm: resample(pcm, this.#rate, CALLER_AUDIO_RATE),
      sentTo: (destination) => this.#uses.sentTo(destination, ms),
    };
  }

  #begin(): void {
    const last: Utterance = { audio: [], bytes: 0, text: '' };
    for (const bytes of this.#lead.splice(0)) this.#append(last, bytes);
    this.#leadBytes = 0;
    this.#last = last;
    this.#isSpeaking = true;
  }

  #append(utterance: Utterance, audio: Uint8Array): void {
    if (utterance.bytes > MAX_MS * this.#bytesOfMs) return;
    utterance.audio.push(audio);
    utterance.bytes += audio.length;
  }
}
