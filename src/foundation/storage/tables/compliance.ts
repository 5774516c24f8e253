import type { Environment } from '../../tenancy/index.ts';

interface Place {
  org_id: string;
  project_id: string;
  environment: Environment;
}

export interface ComplianceCaseRow extends Place {
  id: string;
  external_id: string | null;
  kind: string;
  country: string;
  number_type: string;
  phone_number: string | null;
  capabilities: string;
  use_case: string;
  state: string;
  version: number;
  rules_snapshot: string;
  network_status: string;
  continuation_reason: string;
  terminal_reason: string | null;
  attestations: string;
  network: string;
  /** Extraction must end by then; null outside the state `extracting`. */
  clock_ends_at: number | null;
  created_at: number;
  updated_at: number;
  ended_at: number | null;
  retention_delete_at: number | null;
  documents_removed_at: number | null;
}

export interface ComplianceUploadRow extends Place {
  id: string;
  case_id: string;
  document_request_id: string;
  generation: number;
  file_name: string;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  malware_status: string;
  malware_detail: string | null;
  uploaded_at: number;
  removed_at: number | null;
}

export interface ComplianceExtractionRow extends Place {
  id: string;
  case_id: string;
  upload_id: string;
  status: string;
  failure_reason: string | null;
  attempts: number;
  fields: string | null;
  cost_micros: number;
  model_version: string | null;
  latency_ms: number | null;
  started_at: number | null;
  completed_at: number | null;
}

export interface ComplianceCorrectionRow extends Place {
  id: string;
  case_id: string;
  extraction_id: string;
  field: string;
  reason: string;
  sealed: string | null;
  actor_kind: string;
  actor_id: string;
  created_at: number;
}

export interface ComplianceEventRow extends Place {
  case_id: string;
  version: number;
  type: string;
  from_state: string | null;
  to_state: string | null;
  actor_kind: string;
  actor_id: string;
  reason: string | null;
  detail: string;
  at: number;
}

export interface ComplianceTables {
  compliance_cases: ComplianceCaseRow;
  compliance_uploads: ComplianceUploadRow;
  compliance_extractions: ComplianceExtractionRow;
  compliance_corrections: ComplianceCorrectionRow;
  compliance_events: ComplianceEventRow;
}
