/** Recordings and videos in another language, in voices like those of who speaks in them. */
export { CAPTION_FORMATS, type CaptionFormat } from './captions.ts';
export { BACKGROUNDS, type DubRequest, SOUND_FORMATS, SOURCES, TARGETS } from './contract.ts';
export {
  ApertiumDoor,
  Directions,
  type ListedDirection,
  ModelDoor,
  TRIAL,
  type TranslationDoor,
  WhisperDoor,
} from './doors/index.ts';
export { dubsOfPersons } from './personal.ts';
export { fileKey, holdOf, newDubId, sourceKey } from './places.ts';
export { DubRoom, type DubRoomDeps } from './room.ts';
export type { DubJobs, SegmentChange } from './service.ts';
export type { DubView, SegmentView } from './views.ts';
export { Voices } from './voices/index.ts';
