export { Aggressiveness, readAggressiveness } from './aggressiveness.ts';
export { awaitsMessageEnd, type CarrierAnswer, carrierAnswer } from './carrier-answer.ts';
export {
  ANSWERS,
  type Answer,
  type AnswerUpdate,
  type AnswerVerdict,
  type Cue,
  type Evidence,
  type FollowedAnswer,
  type MessageEnd,
  MODES,
  type Mode,
} from './contract.ts';
export { Detection, type DetectionListener, type Models } from './detection.ts';
export { type Fingerprint, fingerprintSimilarity, SAME_GREETING } from './fingerprint-match.ts';
export {
  type CallUnderWay,
  detectInCall,
  type InCallDeps,
  type InCallDetection,
  type InCallListener,
} from './in-call.ts';
export { type LineOccupant, lineOccupant } from './line-occupant.ts';
export {
  LiveDetection,
  type LiveDetectionDeps,
  type LiveDetectionListener,
  type LiveDetectionOrder,
} from './live-detection.ts';
export { type AnswerModel, answerModel, holdModel } from './phrases/index.ts';
export type {
  AmdSettings,
  CallRest,
  DecidedCall,
  DetectionRecords,
  DetectionSettings,
} from './records.ts';
export { DEFAULT_SETTINGS } from './records.ts';
export { replay } from './replay.ts';
export { DEFAULTS, RANGES, type Tunables } from './tunables.ts';
export { wordsOf } from './words.ts';
