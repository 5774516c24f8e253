export { codesIn } from './card-codes.ts';
export { digitsIn } from './digits.ts';
export { ENTITIES, type Entity, type Finding, tagOf } from './finding.ts';
export { namesCard } from './numeric.ts';
export { type Redacted, redactSegments, redactText, type ScannedSegment, type TimedWord } from './redact.ts';
export { scan, unsettledSpans } from './scan.ts';
