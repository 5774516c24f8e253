export { codesIn } from './card-codes.ts';
export { digitsIn } from './digits.ts';
export { DEFAULT_PII_ENTITIES, PII_ENTITIES, type PiiEntity, type PiiFinding, piiTagOf } from './finding.ts';
export { namesCard } from './numeric.ts';
export {
  type RedactedSegments,
  redactSegments,
  redactText,
  type ScannedSegment,
  scanSegments,
  type TimedWord,
} from './redact.ts';
export { incompleteSpans, scanForPii } from './scan.ts';
