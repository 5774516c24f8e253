export { ApertiumDoor } from './apertium.ts';
export {
  type Direction,
  type DoorName,
  type Offer,
  type ToTranslate,
  TRIAL,
  type TranslationDoor,
} from './contract.ts';
export { Directions, type ListedDirection, type Way } from './directions.ts';
export { ModelDoor } from './model.ts';
export { WhisperDoor } from './whisper.ts';
