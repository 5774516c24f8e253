import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Brain } from '../conversation/brains/index.ts';
import { createDubSurface } from '../edge/surfaces/dub/index.ts';
import type { RetentionDays } from '../foundation/access/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { type AudioDecoder, findFfmpeg } from '../media/codec/index.ts';
import type { EncoderSource, Engine } from '../media/engine/index.ts';
import {
  ApertiumTranslator,
  DubService,
  DubVoices,
  dubPersonalData,
  ModelTranslator,
  SOURCES,
  TARGETS,
  TRIAL,
  TranslationDirections,
  type Translator,
  WhisperTranslator,
} from '../products/dub/index.ts';
import { engineRecognizer, engineVoices } from '../speech/transcription/index.ts';
import { StyleFitter, type VoiceCatalogue } from '../speech/voices/index.ts';
import type { CoreServices } from './main.ts';

export interface DubNeeds {
  readonly engine: Engine;
  readonly encoders: EncoderSource;
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly gate: UrlGate;
  readonly decoder: AudioDecoder;
  readonly catalogue: VoiceCatalogue;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly model: Brain | null;
}

const TRIED_IN = 'es';

/** The order is the order of preference: the operator's model, Whisper, Apertium. */
function translators({ config }: CoreServices, { engine, model }: DubNeeds, voices: DubVoices): Translator[] {
  const languages = { sources: SOURCES, targets: TARGETS };
  const whisper = new WhisperTranslator({
    recognizer: engineRecognizer(engine),
    sources: SOURCES,
    trial: async (signal) => {
      await engine.prepared();
      const pcm = await voices.sample(TRIED_IN, TRIAL[TRIED_IN]?.sentence ?? '', signal);
      return { source: TRIED_IN, pcm };
    },
  });
  return [
    ...(model === null ? [] : [new ModelTranslator(model, languages)]),
    whisper,
    new ApertiumTranslator(config.apertium),
  ];
}

export function dubParts(services: CoreServices, needs: DubNeeds) {
  const { config, storage, blobs, access, billing, clock, background, log, models } = services;
  const { engine, encoders, queue, webhooks, gate, decoder, catalogue, retention } = needs;
  const voices = new DubVoices(
    engine,
    services.voices,
    new StyleFitter(engine, services.voices),
    join(config.data, 'dub-voices.json'),
  );
  const directions = new TranslationDirections({
    translators: translators(services, needs, voices),
    clock,
    speaks: voices.speaks,
    onError: (translator, err) => log.warn({ translator, err }, 'a translator failed'),
  });
  const service = new DubService({
    storage,
    blobs,
    engine,
    decoder,
    ffmpeg: findFfmpeg(config.ffmpeg, models)?.path ?? null,
    temporary: tmpdir(),
    recognizer: engineRecognizer(engine),
    voiceReader: engineVoices(engine, encoders),
    catalogue,
    voices,
    directions,
    gate,
    access,
    billing,
    webhooks,
    queue,
    clock,
    background,
    retention,
    spoolFolder: join(config.data, 'spool-dub'),
    onError: (err) => log.error({ err }, 'a dub failed'),
  });
  return {
    surface: createDubSurface({ dubbing: service, blobs, gate, decoder, voices: catalogue }),
    personalData: dubPersonalData(storage, blobs, service.jobs),
  };
}
