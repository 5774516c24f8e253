/** Provenance: watermarks of synthetic speech, the policies that ask for them, and their detection. */
export { lawOf, type MarkingLaw } from './laws.ts';
export { byChance, type Provenance, provenanceOf, RARE, readProvenance, thresholdOf } from './reading.ts';
export { type MarkSettings, Marks, policyOf, type WatermarkPolicy } from './watermarks.ts';
