import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Admission, Principal } from '../../../foundation/access/contract.ts';
import { tenantScopeOf } from '../../../foundation/access/index.ts';
import type { Billing } from '../../../foundation/billing/contract.ts';
import { usageEventOf } from '../../../foundation/billing/index.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import {
  type AudioDecoder,
  type Decoding,
  decodingPriorityOf,
  spoolUpload,
  wavHeader,
} from '../../../media/codec/index.ts';
import {
  type ChooseRecognizer,
  capacityShareOf,
  chosenRecognizer,
  type EncoderSource,
  type Engine,
  type EngineWord,
  HEAR_LANGUAGES,
  type HearLanguage,
  RECORDING_RATE,
  type RecognizedSegment,
  type RecordingStep,
  transcribeRecording,
} from '../../../media/engine/index.ts';
import {
  engineVoices,
  type Piece,
  type SpeakerEmbedder,
  SpooledAudio,
  type StoredSpan,
  sentencesBySpeaker,
  type VocabularyStore,
  withCurrentVoices,
} from '../../../speech/transcription/index.ts';
import { HeardSound } from './heard-sound.ts';

export interface TranscriberDeps {
  readonly engine: Engine;
  readonly decoder: AudioDecoder;
  readonly billing: Billing;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly vocabulary: VocabularyStore;
  readonly temporary: string;
  readonly chooseRecognizer?: ChooseRecognizer | undefined;
  readonly encoders?: EncoderSource | undefined;
}

export interface TranscriptionOptions {
  readonly language?: HearLanguage;
  readonly seed?: number;
  readonly temperature?: number;
  /** With `translate`, the texts are English translations, and their words have no times. */
  readonly task?: 'translate';
  readonly speakers?: boolean;
  readonly channel?: 0 | 1;
}

export interface StoredUpload {
  readonly path: string;
  discard(): Promise<void>;
}

type Format = { readonly maxSeconds: number; readonly signal: AbortSignal } & Parameters<
  AudioDecoder['decode']
>[1];

const formatOf = (request: FastifyRequest, channels: Format['channels']): Format => ({
  sampleRate: RECORDING_RATE,
  channels,
  sample: 's16',
  maxSeconds: request.caller().limits.syncUpload.seconds,
  signal: request.gone,
  priority: decodingPriorityOf(request.caller(), 'sync'),
});

const millisecondsOf = (samples: number): number => Math.round((samples * 1000) / RECORDING_RATE);

export class Transcriber {
  readonly #deps: TranscriberDeps;

  constructor(deps: TranscriberDeps) {
    this.#deps = deps;
  }

  storeUpload(bytes: Readable): Promise<StoredUpload> {
    return spoolUpload(bytes, this.#deps.temporary);
  }

  /** Returns 1 or 2. Throws `invalid_audio` for a file with more channels. */
  async countChannels(request: FastifyRequest, path: string): Promise<number> {
    const { decoder } = this.#deps;
    const decoding = await decoder.decode({ path }, { ...formatOf(request, 'keep'), maxChannels: 2 });
    await decoding.pcm.return();
    return decoding.format.channels;
  }

  /** Resolves once the file is measured and admitted for its length, so that no later check rejects the request. */
  async begin(
    request: FastifyRequest,
    path: string,
    { speakers = false, channel, ...wishes }: TranscriptionOptions,
  ): Promise<Transcription> {
    const format = formatOf(request, channel ?? 'mix');
    const milliseconds = await measureDurationMs(this.#deps.decoder, path, format);
    const admission = await request.admit('hear.transcription', { milliseconds });
    const caller = request.caller();
    const vocabulary = await this.#deps.vocabulary.activeTerms(tenantScopeOf(caller), 'batch');
    const decode = () => this.#deps.decoder.decode({ path }, format);
    const decoding = await decode();
    const sound = speakers ? new HeardSound(decoding.pcm) : null;
    const steps = transcribeRecording(this.#deps.engine, sound ?? decoding.pcm, {
      ...wishes,
      ...(wishes.task === undefined ? this.#recognizer(caller, wishes.language) : {}),
      vocabulary,
      share: capacityShareOf(caller.environment),
      signal: format.signal,
    });
    const held = { caller, resource: request.id, admission, milliseconds, decode, signal: format.signal };
    return new Transcription(this.#deps, held, steps, sound);
  }

  async recognize(
    caller: Principal,
    {
      pcm,
      rate,
      language,
    }: { readonly pcm: Buffer; readonly rate: number; readonly language: string | null },
    signal: AbortSignal,
  ): Promise<string> {
    const { decoder, engine, vocabulary } = this.#deps;
    const known = HEAR_LANGUAGES.find((one) => one === language);
    const bytes = Buffer.concat([
      wavHeader({ sampleRate: rate, channels: 1, sample: 's16' }, pcm.length),
      pcm,
    ]);
    const decoding = await decoder.decode(
      { bytes },
      {
        sampleRate: RECORDING_RATE,
        channels: 'mix',
        sample: 's16',
        maxSeconds: caller.limits.syncUpload.seconds,
        signal,
        priority: decodingPriorityOf(caller, 'sync'),
      },
    );
    const texts: string[] = [];
    const steps = transcribeRecording(engine, decoding.pcm, {
      ...(known === undefined ? {} : { language: known }),
      ...this.#recognizer(caller, known),
      vocabulary: await vocabulary.activeTerms(tenantScopeOf(caller), 'batch'),
      share: capacityShareOf(caller.environment),
      signal,
    });
    for await (const { segment } of steps) if (segment !== null) texts.push(segment.text);
    return texts.join(' ');
  }

  #recognizer({ plan }: Principal, language: HearLanguage | undefined) {
    return chosenRecognizer(this.#deps.chooseRecognizer, { language, plan });
  }
}

interface AdmittedRecording {
  readonly caller: Principal;
  readonly resource: string;
  readonly admission: Admission;
  readonly milliseconds: number;
  readonly decode: () => Promise<Decoding>;
  readonly signal: AbortSignal;
}

export class Transcription {
  readonly words: EngineWord[] = [];
  readonly #deps: TranscriberDeps;
  readonly #held: AdmittedRecording;
  readonly #steps: AsyncIterable<RecordingStep>;
  readonly #spans: StoredSpan[] = [];
  readonly #sound: HeardSound | null;
  readonly #voices: SpeakerEmbedder;
  #samples = 0;

  constructor(
    deps: TranscriberDeps,
    held: AdmittedRecording,
    steps: AsyncIterable<RecordingStep>,
    sound: HeardSound | null,
  ) {
    this.#deps = deps;
    this.#held = held;
    this.#steps = steps;
    this.#sound = sound;
    this.#voices = engineVoices(deps.engine, deps.encoders);
  }

  get text(): string {
    return this.#spans.map(({ text }) => text).join(' ');
  }

  get spans(): readonly Omit<RecognizedSegment, 'language'>[] {
    return this.#spans;
  }

  /** Returns the dominant language, or null without speech. Our own responses do not contain it. */
  get language(): string | null {
    const seconds = new Map<string, number>();
    for (const { language, start, end } of this.#spans)
      if (language !== null) seconds.set(language, (seconds.get(language) ?? 0) + end - start);
    return [...seconds].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
  }

  /** Needs the upload where the encoder changed within it: the voices are then embedded again. */
  async sentences(): Promise<readonly Piece[]> {
    const { caller, decode, signal } = this.#held;
    const audio = new SpooledAudio(this.#deps.temporary);
    let spooled: Promise<void> | null = null;
    const read: SpooledAudio['read'] = async (...span) => {
      spooled ??= decode().then(({ pcm }) => audio.addChannel(pcm));
      await spooled;
      return await audio.read(...span);
    };
    try {
      const spans = await withCurrentVoices(this.#spans, {
        audio: { seconds: this.duration, read },
        embedder: this.#voices,
        environment: caller.environment,
        signal,
      });
      return await sentencesBySpeaker(spans);
    } finally {
      await audio.remove();
    }
  }

  get duration(): number {
    return millisecondsOf(this.#samples) / 1000;
  }

  async *texts(): AsyncGenerator<string, void> {
    let held = this.#held.milliseconds;
    for await (const { segment, doneSamples } of this.#steps) {
      this.#samples = doneSamples;
      const used = millisecondsOf(doneSamples);
      // The header declared less audio than the file holds.
      if (used > held) {
        await this.#held.admission.recheck(used);
        held = used;
      }
      if (segment === null) continue;
      const done = doneSamples / RECORDING_RATE;
      this.#spans.push({ ...segment, channel: 0, done, voices: await this.#voicesIn(segment) });
      this.words.push(...segment.words);
      yield segment.text;
    }
  }

  async #voicesIn({ start, end }: RecognizedSegment): Promise<StoredSpan['voices']> {
    if (this.#sound === null) return [];
    const { caller, signal } = this.#held;
    const pcm = this.#sound.take(start, end);
    const voices = await this.#voices.voices(pcm, caller.environment, signal);
    return voices.map((voice) => ({ ...voice, start: voice.start + start, end: voice.end + start }));
  }

  async whole(): Promise<this> {
    for await (const _ of this.texts());
    return this;
  }

  /** Audio without speech is free. */
  async bill(): Promise<void> {
    if (this.text === '') return;
    const { caller, resource, admission } = this.#held;
    const event = usageEventOf(caller, {
      id: newId('use'),
      use: 'hear.transcription',
      milliseconds: millisecondsOf(this.#samples),
      resource,
      occurredAt: this.#deps.clock.now(),
      reservationId: admission.reservationId,
    });
    await this.#deps.storage.transaction((transaction) => this.#deps.billing.recordUsage(transaction, event));
  }
}

/** Coded speech never uses fewer bytes a second. */
const MIN_BYTES_PER_SECOND = 750;

/**
 * Returns the declared length, or else the decoded one. A file that is too long is rejected before its recognition,
 * which takes minutes; a file too small to be too long is not decoded for that.
 */
async function measureDurationMs(decoder: AudioDecoder, path: string, format: Format): Promise<number> {
  const { size } = await stat(path);
  const { pcm, declaredSeconds } = await decoder.decode({ path }, format);
  const most = size / MIN_BYTES_PER_SECOND;
  // A header that declares more audio than the file can hold must not cause a rejection for lack of credit or of a
  // cap.
  const isTrusted = most <= format.maxSeconds && declaredSeconds !== undefined && declaredSeconds <= most;
  let bytes = 0;
  for await (const chunk of pcm) {
    bytes += chunk.length;
    if (isTrusted) return Math.ceil(declaredSeconds * 1000);
  }
  return Math.ceil((bytes * 1000) / (RECORDING_RATE * 2));
}
