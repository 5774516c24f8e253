/** Where a sound was made: marks in what is spoken here, who wants them, and how they are found again. */
export { lawOf, type MarkingLaw } from './laws.ts';
export { byChance, type Provenance, provenanceOf, RARE, readProvenance, thresholdOf } from './reading.ts';
export { type MarkPolicy, type MarkSettings, Marks, policyOf } from './watermarks.ts';
