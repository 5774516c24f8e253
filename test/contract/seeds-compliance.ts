import { newId } from '../../src/foundation/platform/ids.ts';
import { Registry } from '../../src/telephony/compliance/index.ts';
import type { Seeds } from './seeds.ts';

let compliance = '';

export const COMPLIANCE_SEEDS: Pick<
  Seeds,
  | 'compliance_cases'
  | 'compliance_uploads'
  | 'compliance_extractions'
  | 'compliance_corrections'
  | 'compliance_events'
> = {
  compliance_cases: (mark, now) => {
    compliance = newId('ncc');
    const subject = {
      kind: 'new_number',
      country: 'CA',
      number_type: 'local',
      capabilities: ['voice'],
    } as const;
    return {
      ...subject,
      id: compliance,
      capabilities: '["voice"]',
      use_case: mark,
      state: 'collecting_evidence',
      version: 1,
      rules_snapshot: JSON.stringify(new Registry().freeze(subject, now, null)),
      network_status: 'draft',
      continuation_reason: 'evidence_missing',
      attestations: '[]',
      network: JSON.stringify({ reference: null, asked_back: [], reason: null }),
      created_at: now,
      updated_at: now,
    };
  },
  compliance_uploads: (mark, now) => ({
    id: newId('up'),
    case_id: compliance,
    document_request_id: 'proof_of_address',
    generation: 1,
    file_name: mark,
    mime_type: 'application/pdf',
    size_bytes: 1,
    sha256: mark,
    malware_status: 'clean',
    uploaded_at: now,
  }),
  compliance_extractions: () => ({
    id: newId('ext'),
    case_id: compliance,
    upload_id: newId('up'),
    status: 'failed',
    attempts: 1,
    cost_micros: 0,
  }),
  compliance_corrections: (mark, now) => ({
    id: newId('ccor'),
    case_id: compliance,
    extraction_id: newId('ext'),
    field: 'customer_name',
    reason: mark,
    actor_kind: 'key',
    actor_id: mark,
    created_at: now,
  }),
  compliance_events: (mark, now) => ({
    case_id: compliance,
    version: 1,
    type: 'case.created',
    actor_kind: 'key',
    actor_id: mark,
    reason: mark,
    detail: '{}',
    at: now,
  }),
};
