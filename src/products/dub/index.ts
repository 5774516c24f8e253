export { CAPTION_FORMATS, type CaptionFormat } from './captions.ts';
export { BACKGROUNDS, type DubRequest, SOUND_FORMATS, SOURCES, TARGETS } from './contract.ts';
export type { DubJobs, SegmentChange } from './dub-jobs.ts';
export { DubService, type DubServiceDeps } from './dub-service.ts';
export { dubReservationId, fileKey, newDubId, sourceKey } from './keys-and-queues.ts';
export { dubPersonalData } from './personal-data.ts';
export {
  ApertiumTranslator,
  type ListedDirection,
  ModelTranslator,
  TRIAL,
  TranslationDirections,
  type Translator,
  WhisperTranslator,
} from './translators/index.ts';
export type { DubView, SegmentView } from './views.ts';
export { DubVoices } from './voices/index.ts';
