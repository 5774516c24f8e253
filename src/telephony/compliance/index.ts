/** Compliance cases of numbers: rules, evidence, review, submission. */
export type { NewCase } from './cases.ts';
export {
  CONTINUATIONS,
  COUNTRIES,
  EXTRACTION_STATES,
  KINDS,
  MALWARE_STATES,
  NETWORK_STATES,
  PII_CLASSES,
  STATES,
  TERMINAL_REASONS,
} from './contract.ts';
export type { Looked } from './evidence/desk.ts';
export type { Network } from './network/contract.ts';
export { httpNetwork } from './network/http/http-network.ts';
export { loopbackNetwork } from './network/loopback.ts';
export { PictureReader } from './ocr/reader.ts';
export { findTesseract, type Tesseract } from './ocr/tesseract.ts';
export { casesOfPersons } from './personal.ts';
export { Registry } from './registry/registry.ts';
export { ComplianceRoom, type ComplianceRoomDeps } from './room.ts';
export { clamd, NO_SCANNER, type Scanner } from './scanning/clamd.ts';
export { MOST_BYTES, type StoredFile } from './uploads.ts';
export { type CaseView, viewOf } from './view.ts';
