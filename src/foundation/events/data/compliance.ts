import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';

export const CaseData = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.compliance_case'),
  project_id: Type.String(),
  external_id: nullable(Type.String()),
  kind: Type.String(),
  country: Type.String(),
  number_type: Type.String(),
  state: Type.Enum([
    'collecting_evidence',
    'extracting',
    'needs_review',
    'ready_for_submission',
    'submitted',
    'cancelled',
  ]),
  previous_state: Type.String({ description: 'The previous state; equal to `state` if it did not change.' }),
  version: Type.Integer({
    description:
      'The version of the case. It increases with each change, so that events that arrive late can be recognized.',
  }),
  because: Type.String({
    description: 'The type of the timeline entry that caused the event, such as `document.uploaded`.',
  }),
  network_status: Type.String(),
  continuation_reason: Type.String(),
  terminal_reason: nullable(Type.String()),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});

export const CASE_UPDATED: Static<typeof CaseData> = {
  id: 'ncc_4fT9bQw2LmXc7RzK1hVd',
  object: 'telephony.compliance_case',
  project_id: 'proj_4fT9bQw2LmXc7RzK1hVd',
  external_id: 'customer-17',
  kind: 'new_number',
  country: 'GB',
  number_type: 'local',
  state: 'ready_for_submission',
  previous_state: 'extracting',
  version: 7,
  because: 'document.read',
  network_status: 'draft',
  continuation_reason: 'ready_to_submit',
  terminal_reason: null,
  created_at: 1_795_348_700_000,
  updated_at: 1_795_348_800_000,
};
