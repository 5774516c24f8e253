import type { KnowledgeBaseSource } from '../conversation/calls/index.ts';
import { KnowledgeService, type KnowledgeServiceDeps } from '../conversation/knowledge/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import { PII_ENTITIES, redactText, scanForPii } from '../language/pii/index.ts';
import { nearestBy } from '../language/retrieval/index.ts';
import { findFfmpeg } from '../media/codec/index.ts';
import { type Engine, nearestSums } from '../media/engine/index.ts';
import { KnowledgeEmbedding } from './knowledge-embedding.ts';
import type { CoreServices } from './main.ts';
import { ocrReader } from './ocr-reader.ts';
import { openSoundAlikes } from './sound-alikes.ts';

export function createKnowledge(
  {
    storage,
    blobs,
    sharedClock,
    background,
    models,
    added,
    config,
  }: Pick<CoreServices, 'storage' | 'blobs' | 'sharedClock' | 'background' | 'models' | 'added' | 'config'>,
  engine: Engine,
  queue: JobQueue,
  gate: UrlGate,
  webhooks: Webhooks,
  retention: NonNullable<KnowledgeServiceDeps['retention']>,
  onError: (error: Error) => void,
): KnowledgeService {
  const spoken = openSoundAlikes(models);
  const embedding = new KnowledgeEmbedding(engine, models, added, onError);
  const scans = ocrReader(config.tesseract, findFfmpeg(config.ffmpeg, models)?.path);
  return new KnowledgeService({
    storage,
    blobs,
    clock: sharedClock,
    background,
    queue,
    gate,
    webhooks,
    embedding,
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
