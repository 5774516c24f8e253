export type { NumberingNetwork } from './carrier-submission/contract.ts';
export { httpNetwork } from './carrier-submission/http/http-network.ts';
export { loopbackNetwork } from './carrier-submission/loopback.ts';
export type { NewComplianceCase } from './cases.ts';
export { ComplianceService, type ComplianceServiceDeps } from './compliance-service.ts';
export {
  CASE_KINDS,
  CASE_STATES,
  CONTINUATIONS,
  COUNTRIES,
  EXTRACTION_STATES,
  MALWARE_STATES,
  NETWORK_STATES,
  PII_CLASSES,
  TERMINAL_REASONS,
} from './contract.ts';
export type { AssessedCase } from './evidence/case-service.ts';
export { PictureReader } from './ocr/reader.ts';
export { findTesseract, type Tesseract } from './ocr/tesseract.ts';
export { compliancePersonalData } from './personal-data.ts';
export { Registry } from './registry/registry.ts';
export { clamd, type MalwareScanner, NO_SCANNER } from './scanning/clamd.ts';
export { MOST_BYTES, type StoredFile } from './uploads.ts';
export { type CaseView, viewOf } from './view.ts';
