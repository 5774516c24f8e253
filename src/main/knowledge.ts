import type { KnowledgeBaseSource } from '../conversation/calls/index.ts';
import {
  type EmbedChunks,
  type EmbeddingModel,
  type EmbedQuestion,
  KnowledgeService,
  type KnowledgeServiceDeps,
} from '../conversation/knowledge/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import { deadline } from '../foundation/platform/deadline.ts';
import type { Models } from '../foundation/platform/models/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { PII_ENTITIES, redactText, scanForPii } from '../language/pii/index.ts';
import { nearestBy } from '../language/retrieval/index.ts';
import { findFfmpeg } from '../media/codec/index.ts';
import {
  capacityShareOf,
  type Engine,
  embedMultilingual,
  embedTexts,
  nearestSums,
} from '../media/engine/index.ts';
import type { CoreServices } from './main.ts';
import { ocrReader } from './ocr-reader.ts';
import { openSoundAlikes } from './sound-alikes.ts';

/** MiniLM was trained on English, and ranks better there. */
const ENGLISH: EmbeddingModel = { name: 'minilm-l6', minSimilarity: 0.38 };
/**
 * E5's cosines lie close together: in seven languages, 69 % of the questions exceed this value with their answer, and
 * 4 % with an unrelated passage.
 */
const OTHERS: EmbeddingModel = { name: 'e5-small', minSimilarity: 0.83 };
/** A question whose embedding takes longer is searched by words alone. */
const EMBED_TIMEOUT_MS = 150;

export function createKnowledge(
  {
    storage,
    blobs,
    sharedClock,
    background,
    models,
    config,
  }: Pick<CoreServices, 'storage' | 'blobs' | 'sharedClock' | 'background' | 'models' | 'config'>,
  engine: Engine,
  queue: JobQueue,
  gate: UrlGate,
  webhooks: Webhooks,
  retention: NonNullable<KnowledgeServiceDeps['retention']>,
  onError: (error: Error) => void,
): KnowledgeService {
  const spoken = openSoundAlikes(models);
  const scans = ocrReader(config.tesseract, findFfmpeg(config.ffmpeg, models)?.path);
  return new KnowledgeService({
    storage,
    blobs,
    clock: sharedClock,
    background,
    queue,
    gate,
    webhooks,
    embeddingModel,
    embedChunks: embedChunks(engine, models),
    embedQuestion: embedQuestion(engine, models),
    nearest: nearestVectors,
    retention,
    ...(spoken === null ? {} : { pronouncers: spoken }),
    ...(scans === null ? {} : { ocr: scans }),
    onError,
  });
}

export const nearestVectors = nearestBy(nearestSums);

export const callKnowledge = (service: KnowledgeService): KnowledgeBaseSource => ({
  async passagesFor(asked, signal) {
    const found = await service.passagesFor(asked, signal);
    return (
      found?.map(({ documentId, title, heading, text, score }) => ({
        documentId,
        text,
        source: heading === null ? title : `${title}: ${heading}`,
        score,
      })) ?? null
    );
  },
  vocabularyOf: async (of, most) => await service.vocabularyOf(of, most),
  // Personal data that a caller gave must not enter the list of knowledge gaps.
  noteGaps: async (of, gaps) =>
    service.noteGaps(
      of,
      gaps.map((gap) => ({
        ...gap,
        question: redactText(gap.question, scanForPii(gap.question, PII_ENTITIES)),
      })),
    ),
});

export const embeddingModel = (language: string): EmbeddingModel => (language === 'en' ? ENGLISH : OTHERS);

const isReady = (models: Models, language: string): boolean =>
  models.status(embeddingModel(language).name).ready;

const embed = (
  engine: Engine,
  language: string,
  role: 'query' | 'passage',
  texts: readonly string[],
  options: Parameters<typeof embedTexts>[2],
): Promise<Float32Array[]> =>
  embeddingModel(language) === ENGLISH
    ? embedTexts(engine, texts, options)
    : embedMultilingual(engine, role, texts, options);

export const embedChunks =
  (engine: Engine, models: Models): EmbedChunks =>
  async (texts, { language, environment }, signal) =>
    isReady(models, language)
      ? await embed(engine, language, 'passage', texts, {
          live: false,
          signal,
          share: capacityShareOf(environment),
        })
      : [];

export const embedQuestion =
  (engine: Engine, models: Models): EmbedQuestion =>
  async (question, language, signal) => {
    if (!isReady(models, language)) return null;
    const inTime = deadline(EMBED_TIMEOUT_MS, signal);
    try {
      const [vector] = await embed(engine, language, 'query', [question], { live: true, signal: inTime });
      return vector ?? null;
    } catch (error) {
      if (signal.aborted) throw error;
      return null;
    }
  };
