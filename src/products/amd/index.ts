/** Who or what answered a call: evidence in, a verdict with its reasons out. */

export { Aggressiveness, readAggressiveness } from './aggressiveness.ts';
export { type AmdCallFilter, AmdCallStore, type CallRest, type DecidedCall } from './amd-call-store.ts';
export { awaitsMessageEnd, type CarrierAnswer, carrierAnswer, carrierMessageEnd } from './carrier-answer.ts';
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
export { evidenceSvg } from './evidence-svg.ts';
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
export { amdPersonalData } from './personal-data.ts';
export { answerModel, holdModel } from './phrases/index.ts';
export { replay } from './replay.ts';
export { type AmdReport, reportOf } from './report.ts';
export { wordsSweep } from './retention.ts';
export { type AmdSettings, AmdSettingsStore } from './settings.ts';
export { DEFAULTS, RANGES, type Tunables } from './tunables.ts';
export { type AmdCall, viewOf } from './view.ts';
export { wordsOf } from './words.ts';
