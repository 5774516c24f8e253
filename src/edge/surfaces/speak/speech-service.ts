import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Admission, Principal } from '../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import { capacityShareOf, type Engine } from '../../../media/engine/index.ts';
import {
  type Emotion,
  estimatedMs,
  mannerOf,
  mergeManners,
  PronunciationDictionary,
  type ServedVoice,
  type VoiceCatalogue,
} from '../../../speech/voices/index.ts';
import {
  anyOutputFormatOf,
  type OutputFormat,
  outputFormatOf,
  type ResponseFormat,
} from './output-format.ts';
import { MAX_CHARACTERS } from './schemas.ts';
import { noSpeakableTextError, Speech, type SpeechOutcome, type SynthesisRequest } from './speech.ts';
import type { SpeechRecord, SpeechStore } from './speech-store.ts';

export interface SpeechServiceDeps {
  readonly engine: Engine;
  readonly voices: VoiceCatalogue;
  readonly speechStore: SpeechStore;
  readonly ffmpeg: string | null;
  readonly onError: (error: Error) => void;
}

export interface SpeechServiceRequest {
  readonly text: string;
  readonly voice?: string | undefined;
  readonly format?: ResponseFormat | undefined;
  readonly sampleRate?: number | undefined;
  readonly emotion?: string | undefined;
  readonly speed?: number | undefined;
  readonly anyRate?: boolean;
}

export interface SpeechListener {
  readonly id: string;
  readonly caller: Principal;
  readonly gone: AbortSignal;
  admit(milliseconds: number): Promise<Admission>;
}

/** The engine renders these speeds without audible artifacts. */
export const SPEEDS = { least: 0.7, most: 1.3 } as const;

const clamped = (speed: number): number => Math.min(SPEEDS.most, Math.max(SPEEDS.least, speed));

export class SpeechService {
  readonly #deps: SpeechServiceDeps;

  constructor(deps: SpeechServiceDeps) {
    this.#deps = deps;
  }

  /** Resolves once the headers are set, so that no later check rejects the request. */
  async begin(
    request: FastifyRequest,
    reply: FastifyReply,
    order: SpeechServiceRequest,
  ): Promise<SpeechResponse> {
    const listener = {
      id: request.id,
      caller: request.caller(),
      gone: request.gone,
      admit: (milliseconds: number) => request.admit('speak.speech', { milliseconds }),
    };
    const response = await this.speak(listener, order);
    const { voice, wire, characters } = response;
    reply.header('x-svc-voice', voice.id);
    reply.header('x-svc-sample-rate', String(wire.rate));
    reply.header('x-svc-characters', String(characters));
    if (order.speed !== undefined) reply.header('x-svc-speed', String(clamped(order.speed)));
    return response;
  }

  async speak(listener: SpeechListener, order: SpeechServiceRequest): Promise<SpeechResponse> {
    const characters = checkText(order.text);
    const formatOf = order.anyRate ? anyOutputFormatOf : outputFormatOf;
    const wire = formatOf(order.format ?? 'mp3', order.sampleRate, this.#deps.ffmpeg);
    const scope = tenantScopeOf(listener.caller);
    const voice = await this.#deps.voices.resolve(scope, order.voice);
    const pronunciations = await this.#deps.voices.pronunciations(scope, voice.language);
    const text = new PronunciationDictionary(pronunciations).apply(order.text);
    const emotion = emotionOf(voice, order.emotion);
    const speed = clamped(order.speed ?? 1);
    const admission = await listener.admit(estimatedMs(text, speed));
    const manner = mergeManners(mannerOf(emotion), { speed });
    const share = capacityShareOf(listener.caller.environment);
    const asked = { text, voice, wire, manner, share, signal: listener.gone };
    const speech = await Speech.begin(this.#deps.engine, asked);
    return new SpeechResponse(this.#deps, listener, speech, { ...asked, characters, admission });
  }
}

function checkText(text: string): number {
  let characters = 0;
  for (const _ of text) characters++;
  if (characters > MAX_CHARACTERS) {
    const message = `The input has ${characters} characters; the limit is ${MAX_CHARACTERS}.`;
    throw new ApiError('input_too_long', message, { param: 'input' });
  }
  if (text.trim() === '') throw noSpeakableTextError('input');
  return characters;
}

function emotionOf(voice: ServedVoice, emotion: string | undefined): Emotion {
  if (emotion === undefined) return 'neutral';
  if (voice.emotions.includes(emotion as Emotion)) return emotion as Emotion;
  const message = `The voice '${voice.id}' does not speak '${emotion}'; it speaks ${voice.emotions.join(', ')}.`;
  throw new ApiError('unsupported_emotion', message, { param: 'emotion' });
}

interface AdmittedSpeech extends SynthesisRequest {
  readonly characters: number;
  readonly admission: Admission;
}

/** Records and bills the audio of one request, whether it is sent whole or streamed. */
export class SpeechResponse {
  readonly #deps: SpeechServiceDeps;
  readonly #listener: SpeechListener;
  readonly #speech: Speech;
  readonly #begun: AdmittedSpeech;

  constructor(deps: SpeechServiceDeps, listener: SpeechListener, speech: Speech, begun: AdmittedSpeech) {
    this.#deps = deps;
    this.#listener = listener;
    this.#speech = speech;
    this.#begun = begun;
  }

  get wire(): OutputFormat {
    return this.#begun.wire;
  }

  get voice(): ServedVoice {
    return this.#begun.voice;
  }

  /** Counts Unicode code points. */
  get characters(): number {
    return this.#begun.characters;
  }

  get served(): 'streamed' | 'buffered' {
    return this.#speech.isBuffered ? 'buffered' : 'streamed';
  }

  /** Records the speech before it is returned: a failed record sends nothing. */
  async whole(): Promise<Buffer> {
    const audio = await this.#speech.whole();
    const ending = { milliseconds: this.#speech.milliseconds, complete: true, failed: false };
    await this.#deps.speechStore.record(this.#listener.caller, this.#spoken(ending));
    return audio;
  }

  stream(): Readable {
    let recorded = (): void => undefined;
    this.#begun.admission.settling(
      new Promise<void>((resolve) => {
        recorded = resolve;
      }),
    );
    return this.#speech.stream((ending) => {
      this.#deps.speechStore
        .recordSent(this.#listener.caller, this.#spoken(ending))
        .catch(this.#deps.onError)
        .finally(recorded);
    });
  }

  #spoken({ milliseconds, complete }: SpeechOutcome): SpeechRecord {
    const { admission, voice, characters } = this.#begun;
    return {
      use: 'speak.speech',
      hold: admission.reservationId,
      id: this.#listener.id,
      voiceId: voice.id,
      characters,
      milliseconds,
      complete,
    };
  }
}
