export { advanceCapture } from './advance-capture.ts';
export { parseAgreement } from './agreement.ts';
export type { Character } from './characters.ts';
export { isIban } from './checks.ts';
export * from './contract.ts';
export { dayIn } from './dates.ts';
export {
  beginCapture,
  type CaptureInput,
  type CaptureRequest,
  type CaptureResult,
  type CaptureState,
  type CaptureStep,
  captureFailed,
} from './dialogue.ts';
export { exampleAnswer } from './example-answer.ts';
export {
  advanceRecordCapture,
  beginRecordCapture,
  needsLookup,
  type RecordRequest,
  type RecordState,
  type RecordStep,
  recordCaptureFailed,
} from './record-dialogue.ts';
export {
  type CaptureRecord,
  keypadDigits,
  RECORD_KINDS,
  type RecordCandidate,
  type RecordKind,
  RecordTable,
  recordsIn,
} from './record-table.ts';
export { READERS } from './value-readers.ts';
