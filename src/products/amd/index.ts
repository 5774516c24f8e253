/** Who or what answered a call: evidence in, a verdict with its reasons out. */

export { Aggressiveness, readAggressiveness } from './aggressiveness.ts';
export { type CallFilter, CallRecords, type CallRest, type DecidedCall } from './calls.ts';
export { awaitsMessageEnd, type CarrierAnswer, carrierAnswer, carrierMessageEnd } from './carrier-answer.ts';
export {
  ANSWERS,
  type Answer,
  type Cue,
  type Evidence,
  type Following,
  type MessageEnd,
  MODES,
  type Mode,
  type Update,
  type Verdict,
} from './contract.ts';
export { Detection, type DetectionListener, type Models } from './detection.ts';
export { type Fingerprint, likenessOf, SAME_GREETING } from './fingerprint-match.ts';
export {
  type CallUnderWay,
  detectInCall,
  type InCallDeps,
  type InCallDetection,
  type InCallListener,
} from './in-call.ts';
export { type OnTheLine, onTheLine } from './line.ts';
export {
  type CallToJudge,
  LiveDetection,
  type LiveDetectionDeps,
  type LiveListener,
} from './live-detection.ts';
export { judgedCallsOfPersons } from './personal.ts';
export { answerModel, holdModel } from './phrases/index.ts';
export { pictureOf } from './picture.ts';
export { replay } from './replay.ts';
export { type AmdReport, reportOf } from './report.ts';
export { wordsSweep } from './retention.ts';
export { type AmdSettings, SettingsStore } from './settings.ts';
export { DEFAULTS, RANGES, type Tunables } from './tunables.ts';
export { type AmdCall, viewOf } from './view.ts';
export { wordsOf } from './words.ts';
