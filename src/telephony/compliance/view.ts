import type {
  ComplianceCorrectionRow,
  ComplianceEventRow,
  ComplianceUploadRow,
} from '../../foundation/storage/tables/compliance.ts';
import type {
  CaseKind,
  CaseState,
  Continuation,
  Country,
  ExtractionStatus,
  MalwareStatus,
  NetworkStatus,
  ReadField,
  TerminalReason,
} from './contract.ts';
import type { AssessedCase } from './evidence/case-service.ts';
import { type Dossier, type Extraction, isUnfinished } from './evidence/dossier.ts';
import { masked, withoutPersonal } from './masking.ts';

const time = (at: number | null): number | null => (at === null ? null : Number(at));

export function viewOf({ dossier, assessment, timeline }: AssessedCase) {
  const { row, snapshot, talk } = dossier;
  return {
    id: row.id,
    object: 'telephony.compliance_case' as const,
    project_id: row.project_id,
    external_id: row.external_id,
    kind: row.kind as CaseKind,
    country: row.country as Country,
    number_type: row.number_type,
    phone_number: row.phone_number,
    capabilities: JSON.parse(row.capabilities) as string[],
    use_case: row.use_case,
    state: row.state as CaseState,
    version: Number(row.version),
    network_status: row.network_status as NetworkStatus,
    continuation_reason: row.continuation_reason as Continuation,
    terminal_reason: row.terminal_reason as TerminalReason | null,
    network_reference: talk.reference,
    network_reason: talk.reason,
    missing: [...assessment.missing],
    rules_snapshot: snapshot,
    document_requests: snapshot.config.documents.map(({ fields: _fields, ...request }) => ({
      ...request,
      one_of: request.one_of ?? null,
    })),
    attestation_requests: [...snapshot.config.attestations],
    uploads: dossier.uploads.map((upload) => uploadView(upload, dossier)),
    extractions: extractionsOf(dossier).map((each) => extractionView(each, dossier)),
    matches: [...assessment.matches],
    corrections: dossier.corrections.map(correctionView),
    attestations: [...dossier.attestations],
    timeline: timeline.map(eventView),
    clock_ends_at: time(row.clock_ends_at),
    created_at: Number(row.created_at),
    updated_at: Number(row.updated_at),
    ended_at: time(row.ended_at),
    retention_delete_at: time(row.retention_delete_at),
  };
}
export type CaseView = ReturnType<typeof viewOf>;

const extractionsOf = ({ uploads, extractions }: Dossier): Extraction[] =>
  uploads.flatMap(({ id }) => extractions.filter(({ upload_id }) => upload_id === id));

const uploadView = (upload: ComplianceUploadRow, { row }: Dossier) => ({
  id: upload.id,
  document_request_id: upload.document_request_id,
  object_ref: `compliance/${upload.case_id}/${upload.id}`,
  generation: Number(upload.generation),
  file_name: withoutPersonal(upload.file_name),
  mime_type: upload.mime_type,
  size_bytes: Number(upload.size_bytes),
  sha256: upload.sha256,
  malware_status: upload.malware_status as MalwareStatus,
  malware_detail: upload.malware_detail,
  uploaded_at: Number(upload.uploaded_at),
  retention_delete_at: time(row.retention_delete_at),
  removed_at: time(upload.removed_at),
});

const extractionView = (extraction: Extraction, { snapshot }: Dossier) => ({
  id: extraction.id,
  upload_id: extraction.upload_id,
  processing_profile: snapshot.config.profile,
  status: extraction.status as ExtractionStatus,
  failure_reason: extraction.failure_reason,
  attempts: Number(extraction.attempts),
  fields: extraction.fields.map(fieldView),
  // The cost of a document is only reserved until it is read.
  cost_micros: isUnfinished(extraction) ? 0 : Number(extraction.cost_micros),
  model_version: extraction.model_version,
  latency_ms: time(extraction.latency_ms),
  started_at: time(extraction.started_at),
  completed_at: time(extraction.completed_at),
});

const fieldView = ({ field, value, confidence, provenance, pii_class: pii, invalid }: ReadField) => ({
  field,
  value: masked(value, pii),
  confidence: Math.round(confidence * 1000) / 1000,
  valid: invalid !== true,
  provenance,
  pii_class: pii,
  redacted: pii !== 'none',
});

const correctionView = (row: ComplianceCorrectionRow) => ({
  id: row.id,
  extraction_id: row.extraction_id,
  field: row.field,
  reason: row.reason,
  corrected_by: { kind: row.actor_kind, id: row.actor_id },
  corrected_at: Number(row.created_at),
});

const eventView = (row: ComplianceEventRow) => ({
  version: Number(row.version),
  at: Number(row.at),
  type: row.type,
  from: row.from_state as CaseState | null,
  to: row.to_state as CaseState | null,
  actor: { kind: row.actor_kind, id: row.actor_id },
  reason: row.reason,
  detail: JSON.parse(row.detail) as Record<string, unknown>,
});
