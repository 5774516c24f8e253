import { type Clock, systemClock } from '../../foundation/platform/clock.ts';
import { convertAudio } from '../../media/engine/index.ts';
import type { ProviderUse } from '../../speech/providers/index.ts';
import { CALLER_AUDIO_RATE, type CallerAudio } from '../brains/index.ts';
import type { LaneEvent } from '../session/index.ts';
import { BrainUses } from './brain-uses.ts';
import { PcmUpsampler } from './pcm-upsampler.ts';
import type { FeedRequest } from './provided-lane.ts';
import type { CallRate } from './voice-engine.ts';

/** Speech is detected some time after its beginning. */
const LEAD_MS = 800;
/** The text alone stands for a longer utterance. */
const MAX_MS = 60_000;
const BYTES_OF_MS = (CALLER_AUDIO_RATE * 2) / 1_000;

interface Utterance {
  readonly upsampler: PcmUpsampler;
  readonly pcm: Uint8Array[];
  bytes: number;
  text: string;
}

/** Keeps the sound of the caller's last utterance for a brain that hears it. */
export class CallerAudioTap {
  readonly #rate: CallRate;
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
    this.#uses = new BrainUses(clock);
  }

  get providerUse(): readonly ProviderUse[] {
    return this.#uses.all;
  }

  push(bytes: Uint8Array): void {
    if (this.#isSpeaking && this.#last !== null) {
      this.#append(this.#last, bytes);
      return;
    }
    this.#lead.push(Uint8Array.from(bytes));
    this.#leadBytes += bytes.length;
    const most = (LEAD_MS * this.#rate * (this.#codec === 'ulaw' ? 1 : 2)) / 1_000;
    while (this.#leadBytes > most && this.#lead.length > 1)
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
    if (last === null || last.text === '' || last.bytes > MAX_MS * BYTES_OF_MS) return null;
    if (!message.endsWith(last.text)) return null;
    const ms = last.bytes / BYTES_OF_MS;
    return {
      text: last.text,
      pcm: Buffer.concat(last.pcm),
      sentTo: (destination) => this.#uses.sentTo(destination, ms),
    };
  }

  #begin(): void {
    const last: Utterance = { upsampler: new PcmUpsampler(this.#rate), pcm: [], bytes: 0, text: '' };
    for (const bytes of this.#lead.splice(0)) this.#append(last, bytes);
    this.#leadBytes = 0;
    this.#last = last;
    this.#isSpeaking = true;
  }

  #append(utterance: Utterance, bytes: Uint8Array): void {
    if (utterance.bytes > MAX_MS * BYTES_OF_MS) return;
    const pcm = utterance.upsampler.take(
      this.#codec === 'ulaw' ? convertAudio('pcmu', bytes, 'pcm16') : bytes,
    );
    utterance.pcm.push(pcm);
    utterance.bytes += pcm.length;
  }
}
