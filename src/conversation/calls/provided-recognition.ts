import type { Clock } from '../../foundation/platform/clock.ts';
import { convertAudio } from '../../media/engine/index.ts';
import {
  ProviderError,
  type ProviderUse,
  ProviderUses,
  type RecognitionProvider,
  type RecognitionProviders,
  type RecognitionStream,
  toProviderError,
} from '../../speech/providers/index.ts';
import type { CallerUtterance, LaneEvent } from '../session/index.ts';
import type { FeedRequest } from './provided-lane.ts';

type Event = LaneEvent | FeedRequest;

export interface ProvidedRecognitionOptions {
  readonly providers: RecognitionProviders;
  readonly chain: readonly RecognitionProvider[];
  readonly clock: Clock;
  /** The organization of the call. */
  readonly owner: string;
  /** Samples a second of the caller's audio. */
  readonly rate: number;
  readonly codec?: 'ulaw' | undefined;
  readonly language: string;
  readonly vocabulary: readonly string[];
  readonly onEvent: (event: Event) => void;
}

/** Speech is detected some time after its beginning. */
const LEAD_MS = 800;
const SAMPLE_BYTES = 2;
/** An utterance has fewer characters, and the event loop reads each of them. */
const MOST_CHARACTERS = 5_000;
const HOUR_MS = 3_600_000;
/** These events wait behind a final that is not there yet. Events of the agent's side do not. */
const OF_THE_CALLER: readonly Event['kind'][] = [
  'speech_start',
  'partial',
  'eager_end',
  'continued',
  'final',
  'lost',
  'backchannel',
];

interface Utterance {
  readonly provider: RecognitionProvider;
  readonly stream: RecognitionStream;
  readonly use: ProviderUse;
  asked: Promise<string> | null;
}

/**
 * A provider writes what the caller says. The lane recognizes every utterance as well, and its text serves where the
 * provider's is not there in time.
 */
export class ProvidedRecognition {
  readonly #options: ProvidedRecognitionOptions;
  readonly #uses = new ProviderUses('recognition');
  readonly #lead: Uint8Array[] = [];
  #leadBytes = 0;
  #language: string;
  #vocabulary: readonly string[];
  #open: Utterance | null = null;
  #behind: Event[] | null = null;
  #isClosed = false;

  constructor(options: ProvidedRecognitionOptions) {
    this.#options = options;
    this.#language = options.language;
    this.#vocabulary = options.vocabulary;
  }

  get providerUse(): readonly ProviderUse[] {
    return this.#uses.all;
  }

  /** Applies from the next utterance on. */
  setVocabulary(vocabulary: readonly string[]): void {
    this.#vocabulary = vocabulary;
  }

  setLanguage(language: string): void {
    this.#language = language;
  }

  push(bytes: Uint8Array): void {
    const pcm =
      this.#options.codec === 'ulaw' ? convertAudio('pcmu', bytes, 'pcm16') : Uint8Array.from(bytes);
    if (this.#open !== null) this.#send(this.#open, pcm);
    else this.#remember(pcm);
  }

  take(event: Event): void {
    // The lane of a recorded call still hears what came before its end.
    if (this.#isClosed) {
      this.#options.onEvent(event);
      return;
    }
    if (this.#behind !== null && OF_THE_CALLER.includes(event.kind)) {
      this.#behind.push(event);
      return;
    }
    switch (event.kind) {
      case 'speech_start':
        this.#begin();
        break;
      case 'eager_end':
        this.#ask();
        break;
      case 'continued':
        if (this.#open !== null) this.#open.asked = null;
        break;
      case 'final':
        if (this.#open !== null && event.text !== '') {
          void this.#finish(this.#open, event);
          return;
        }
        this.#drop();
        break;
      case 'lost':
      case 'backchannel':
        this.#drop();
    }
    this.#options.onEvent(event);
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #begin(): void {
    this.#drop();
    const { providers, chain, rate, owner } = this.#options;
    const vocabulary = this.#vocabulary;
    const provider = providers.admitted(chain, this.#language, owner);
    if (provider === null) return;
    const use = this.#uses.of(provider);
    use.requests += 1;
    try {
      const stream = provider.listen({ rate, language: this.#language, vocabulary });
      this.#open = { provider, stream, use, asked: null };
    } catch (error) {
      this.#uses.failed(provider);
      providers.onFailure(provider, toProviderError(error), owner);
      return;
    }
    for (const pcm of this.#lead.splice(0)) this.#send(this.#open, pcm);
    this.#leadBytes = 0;
  }

  #send({ provider, stream, use }: Utterance, pcm: Uint8Array): void {
    stream.push(pcm);
    use.soundMs += (pcm.length * 1000) / (this.#options.rate * SAMPLE_BYTES);
    use.costMicros = Math.round((use.soundMs * provider.microsPerHour) / HOUR_MS);
  }

  #remember(pcm: Uint8Array): void {
    this.#lead.push(pcm);
    this.#leadBytes += pcm.length;
    const most = (LEAD_MS * this.#options.rate * SAMPLE_BYTES) / 1000;
    while (this.#leadBytes > most && this.#lead.length > 1)
      this.#leadBytes -= (this.#lead.shift() as Uint8Array).length;
  }

  #ask(): void {
    if (this.#open === null) return;
    this.#open.asked = this.#open.stream.text();
    // A failure counts when the utterance has ended.
    this.#open.asked.catch(() => undefined);
  }

  async #finish(utterance: Utterance, event: { readonly kind: 'final' } & CallerUtterance): Promise<void> {
    const { providers, clock, onEvent, owner } = this.#options;
    const { provider, use } = utterance;
    this.#open = null;
    this.#behind = [];
    const began = clock.monotonic();
    let { text } = event;
    try {
      text = await this.#inTime(utterance.asked ?? utterance.stream.text(), provider);
      use.characters += text.length;
      providers.onSuccess(provider, owner);
    } catch (error) {
      this.#uses.failed(provider);
      providers.onFailure(provider, error as ProviderError, owner);
    }
    utterance.stream.close();
    const behind = this.#behind;
    this.#behind = null;
    if (this.#isClosed) return;
    onEvent({ ...event, text, asrMs: event.asrMs + Math.round(clock.monotonic() - began) });
    for (const one of behind) this.take(one);
  }

  #inTime(text: Promise<string>, { finalMs }: RecognitionProvider): Promise<string> {
    return new Promise((resolve, reject) => {
      const stop = this.#options.clock.after(finalMs, () =>
        reject(
          new ProviderError(
            'timeout',
            `the provider sent no transcript within ${finalMs} ms after the utterance`,
          ),
        ),
      );
      text.then(
        (said) => {
          stop();
          const problem = problemOf(said);
          if (problem !== null) reject(problem);
          else resolve(said);
        },
        (error: unknown) => {
          stop();
          reject(error);
        },
      );
    });
  }

  #drop(): void {
    this.#open?.stream.close();
    this.#open = null;
  }
}

function problemOf(said: string): ProviderError | null {
  if (said === '')
    return new ProviderError('incomplete', 'the provider recognized nothing in audio that has speech');
  return said.length > MOST_CHARACTERS
    ? new ProviderError('garbage', 'the provider sent more text than an utterance has')
    : null;
}
