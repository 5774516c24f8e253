/** POST /v1/audio/speech. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../../access/contract.ts';
import type { Engine } from '../../engine/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { modelNamed } from '../../platform/model-names.ts';
import {
  type Emotion,
  joinManners,
  mannerOf,
  type ServedVoice,
  type VoiceCatalogue,
} from '../../voices/index.ts';
import { estimatedMs } from './estimate.ts';
import { MOST_CHARACTERS, SpeechAudio, SpeechBody } from './schemas.ts';
import { type Ending, nothingToSpeak, Speech, type SpeechOrder } from './speech.ts';
import type { Spoken, SpokenStore } from './spoken-store.ts';
import { wireOf } from './wire.ts';

export interface SpeechRouteDeps {
  readonly engine: Engine;
  readonly voices: VoiceCatalogue;
  readonly spoken: SpokenStore;
  readonly onError: (error: Error) => void;
}

function checkText(body: SpeechBody): number {
  if (body.model !== undefined && modelNamed(body.model) !== 'svc-speak') {
    throw new ApiError(
      'unsupported_model',
      `The model '${body.model.slice(0, 64)}' does not speak; use 'svc-speak'.`,
      {
        param: 'model',
      },
    );
  }
  let characters = 0;
  for (const _ of body.input) characters++;
  if (characters > MOST_CHARACTERS) {
    const message = `The input holds ${characters} characters; ${MOST_CHARACTERS} are the most.`;
    throw new ApiError('input_too_long', message, { param: 'input' });
  }
  if (body.input.trim() === '') throw nothingToSpeak('input');
  return characters;
}

function emotionOf(voice: ServedVoice, emotion: string | undefined): Emotion {
  if (emotion === undefined) return 'neutral';
  if (voice.emotions.includes(emotion as Emotion)) return emotion as Emotion;
  const message = `The voice '${voice.id}' does not speak '${emotion}'; it speaks ${voice.emotions.join(', ')}.`;
  throw new ApiError('unsupported_emotion', message, { param: 'emotion' });
}

export function speechRoute(app: FastifyInstance, deps: SpeechRouteDeps): void {
  app.post<{ Body: SpeechBody }>('/v1/audio/speech', {
    config: {
      access: { kind: 'key', scope: 'speak:synthesize' },
      meters: true,
      errors: [
        'input_too_long',
        'unsupported_model',
        'unsupported_emotion',
        'voice_not_found',
        'voice_retired',
      ],
    },
    schema: {
      summary: 'Speak a text',
      description:
        'Raw audio. `g711_*` is headerless 8-bit, 8 kHz, mono; `pcm` is signed 16-bit little-endian, mono. ' +
        '`x-svc-voice` names the voice that spoke, `x-svc-sample-rate` the rate, `x-svc-characters` the length of the ' +
        'input, `x-svc-stream` how a streaming request was served. Only audio that was sent is billed.',
      tags: ['Speak'],
      body: SpeechBody,
      response: { 200: SpeechAudio },
    },
    handler: (request, reply) => new SpeechAnswer(deps, request, reply).send(),
  });
}

class SpeechAnswer {
  readonly #deps: SpeechRouteDeps;
  readonly #request: FastifyRequest<{ Body: SpeechBody }>;
  readonly #reply: FastifyReply;
  #admission: Admission | null = null;

  constructor(deps: SpeechRouteDeps, request: FastifyRequest<{ Body: SpeechBody }>, reply: FastifyReply) {
    this.#deps = deps;
    this.#request = request;
    this.#reply = reply;
  }

  async send(): Promise<FastifyReply> {
    const { body } = this.#request;
    const characters = checkText(body);
    const wire = wireOf(body.response_format ?? 'mp3', body.sample_rate);
    const voice = await this.#deps.voices.resolve(this.#request.reach(), body.voice);
    const emotion = emotionOf(voice, body.emotion);
    const speed = body.speed ?? 1;
    this.#admission = await this.#request.admit('speak.speech', {
      milliseconds: estimatedMs(body.input, speed),
    });
    const manner = joinManners(mannerOf(emotion), { speed });
    const order = { text: body.input, voice, wire, manner, signal: this.#request.gone };
    const speech = await Speech.begin(this.#deps.engine, order);
    this.#reply.type(wire.contentType);
    this.#reply.header('x-svc-voice', voice.id);
    this.#reply.header('x-svc-sample-rate', String(wire.rate));
    this.#reply.header('x-svc-characters', String(characters));
    return body.stream === false
      ? await this.#buffered(speech, order, characters)
      : this.#streamed(speech, order, characters);
  }

  async #buffered(speech: Speech, order: SpeechOrder, characters: number): Promise<FastifyReply> {
    const audio = await speech.whole();
    // Whoever waited for all of it gets all of it: it is recorded before it leaves, and a record that fails sends nothing.
    const ending = { milliseconds: speech.milliseconds, complete: true, failed: false };
    await this.#deps.spoken.record(this.#request.caller(), this.#spoken(order, characters, ending));
    return this.#reply.send(audio);
  }

  #streamed(speech: Speech, order: SpeechOrder, characters: number): FastifyReply {
    const { spoken, onError } = this.#deps;
    this.#reply.header('x-svc-stream', 'streamed');
    let recorded = (): void => undefined;
    this.#admission?.settling(
      new Promise<void>((resolve) => {
        recorded = resolve;
      }),
    );
    const stream = speech.stream((ending) => {
      spoken
        .recordSent(this.#request.caller(), this.#spoken(order, characters, ending))
        .catch(onError)
        .finally(recorded);
    });
    return this.#reply.send(stream);
  }

  #spoken(order: SpeechOrder, characters: number, { milliseconds, complete }: Ending): Spoken {
    return {
      use: 'speak.speech',
      hold: this.#admission?.hold ?? null,
      id: this.#request.id,
      voiceId: order.voice.id,
      characters,
      milliseconds,
      complete,
    };
  }
}
