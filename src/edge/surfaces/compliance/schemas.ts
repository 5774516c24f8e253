import Type, { type Static } from 'typebox';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import {
  CASE_KINDS,
  CASE_STATES,
  CONTINUATIONS,
  COUNTRIES,
  EXTRACTION_STATES,
  MALWARE_STATES,
  NETWORK_STATES,
  PII_CLASSES,
  TERMINAL_REASONS,
} from '../../../telephony/compliance/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Id = Type.String({ maxLength: 128 });
const Time = Type.Integer({ description: 'Unix time in milliseconds.' });

const PhoneNumber = Type.String({
  pattern: '^\\+[1-9][0-9]{6,14}$',
  description:
    'Phone number in E.164 format. For `new_number`: your number that requires the case. For `port_in`: the number that is added to your account after approval.',
});

export const CaseParams = Type.Object({ id: Id });
export type CaseParams = Static<typeof CaseParams>;

export const IfMatch = Type.Object(
  {
    'if-match': Type.Optional(
      Type.String({
        maxLength: 64,
        description:
          'The `version` of the case that you read, such as `"3"`. If the case has changed since, the request fails with 409 `version_conflict`.',
      }),
    ),
  },
  { additionalProperties: true },
);

const UseCase = Type.String({ minLength: 1, maxLength: 2000 });
export const NewCase = Type.Object(
  {
    kind: Type.Enum([...CASE_KINDS]),
    country: Type.Enum([...COUNTRIES]),
    number_type: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The type of the number, such as local, mobile or toll_free.',
    }),
    capabilities: Type.Array(Type.String({ minLength: 1, maxLength: 32 }), {
      minItems: 1,
      maxItems: 8,
      uniqueItems: true,
      description: 'The capabilities of the number, such as voice or sms.',
    }),
    use_case: UseCase,
    phone_number: Type.Optional(nullable(PhoneNumber)),
    external_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          'Your ID of the person or company that the number belongs to. `DELETE /v1/customers/{external_id}` erases their data.',
      }),
    ),
  },
  closed,
);

export const ProjectQuery = Type.Object({
  project_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'Defaults to the user’s first project.' }),
  ),
  environment: Type.Optional(Type.Enum(['live', 'sandbox'])),
});
export type ProjectQuery = Static<typeof ProjectQuery>;

export const CaseChange = mergePatchOf({ use_case: UseCase, phone_number: PhoneNumber }, ['use_case']);
export const DocumentParams = Type.Object({ id: Id, upload_id: Id });

export const AttestationBody = Type.Object(
  { attestation_request_id: Id, accepted: Type.Literal(true) },
  closed,
);
export const CorrectionBody = Type.Object(
  {
    extraction_id: Id,
    field: Id,
    value: Type.String({ minLength: 1, maxLength: 1000 }),
    reason: Type.String({ minLength: 1, maxLength: 500 }),
  },
  closed,
);
export const UploadFields = Type.Object({ document_request_id: Id });
export const CancelBody = Type.Object({ reason: Type.Optional(Type.String({ maxLength: 500 })) }, closed);
export const CaseQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(Type.Enum([...CASE_STATES])),
  kind: Type.Optional(Type.Enum([...CASE_KINDS])),
  country: Type.Optional(Type.Enum([...COUNTRIES])),
});

const Actor = Type.Object({ kind: Type.String(), id: Type.String() }, { title: 'Actor' });
const State = Type.Enum([...CASE_STATES]);

const DocumentRequest = Type.Object({
  id: Type.String(),
  document_type: Type.String(),
  label: Type.String(),
  required: Type.Boolean({
    description: 'Whether this document is required on its own. For a group of alternatives, see `one_of`.',
  }),
  one_of: nullable(
    Type.String({
      description:
        'The group of alternatives: one document of the group is required, and the one uploaded last is used.',
    }),
  ),
  accepted_mime_types: Type.Array(Type.String()),
  max_bytes: Type.Integer(),
});
const AttestationRequest = Type.Object({
  id: Type.String(),
  text: Type.String(),
  required: Type.Boolean(),
});

const Upload = Type.Object({
  id: Type.String(),
  document_request_id: Type.String(),
  object_ref: Type.String(),
  generation: Type.Integer({
    minimum: 1,
    description: 'The number of the upload for its request. Only the newest upload is used.',
  }),
  file_name: Type.String(),
  mime_type: Type.String({ description: 'The MIME type, detected from the content.' }),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  malware_status: Type.Enum([...MALWARE_STATES]),
  malware_detail: nullable(Type.String()),
  uploaded_at: Time,
  retention_delete_at: nullable(Time),
  removed_at: nullable(Time),
});

const Provenance = Type.Object({
  source: Type.Enum(['text', 'ocr', 'correction']),
  page: nullable(Type.Integer({ minimum: 1 })),
  box: nullable(
    Type.Array(Type.Number(), {
      description: 'Left, top, right and bottom of the field, as fractions of the page from 0 to 1.',
    }),
  ),
  words: nullable(
    Type.Array(Type.Integer(), {
      description: 'The indexes of the first and last word on the page, starting at 0.',
    }),
  ),
});
const Field = Type.Object({
  field: Type.String(),
  value: Type.String({ description: 'The value; personal data is masked.' }),
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  valid: Type.Boolean({ description: 'Whether the value has a valid format, including check digits.' }),
  provenance: Provenance,
  pii_class: Type.Enum([...PII_CLASSES]),
  redacted: Type.Boolean(),
});
const Extraction = Type.Object({
  id: Type.String(),
  upload_id: Type.String(),
  processing_profile: Type.String(),
  status: Type.Enum([...EXTRACTION_STATES]),
  failure_reason: nullable(Type.String()),
  attempts: Type.Integer(),
  fields: Type.Array(Field),
  cost_micros: Type.Integer(),
  model_version: nullable(Type.String()),
  latency_ms: nullable(Type.Integer({ minimum: 1 })),
  started_at: nullable(Time),
  completed_at: nullable(Time),
});

const Missing = Type.Object({
  code: Type.String(),
  message: Type.String(),
  document_request_id: Type.Optional(Type.String()),
  upload_id: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
  attestation_request_id: Type.Optional(Type.String()),
  match_id: Type.Optional(Type.String()),
});
const Match = Type.Object({
  id: Type.String(),
  kind: Type.String(),
  left: Type.String(),
  right: Type.String(),
  result: Type.Enum(['match', 'mismatch', 'unknown']),
  score: Type.Number(),
  reason: Type.String(),
});
const Correction = Type.Object({
  id: Type.String(),
  extraction_id: Type.String(),
  field: Type.String(),
  reason: Type.String(),
  corrected_by: Actor,
  corrected_at: Time,
});
const Attestation = Type.Object({
  id: Type.String(),
  attestation_request_id: Type.String(),
  accepted_by: Actor,
  accepted_at: Time,
});
const Event = Type.Object({
  version: Type.Integer(),
  at: Time,
  type: Type.String(),
  from: nullable(State),
  to: nullable(State),
  actor: Actor,
  reason: nullable(Type.String()),
  detail: Type.Record(Type.String(), Type.Unknown()),
});
const RulesSnapshot = Type.Object({
  available: Type.Boolean(),
  registry_version: Type.String(),
  source_ids: Type.Array(Type.String()),
  frozen_at: Time,
  config: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'The rules, sources, thresholds, retry limits, parallelism, time limits, cost limits and retention that apply to the case.',
  }),
});

export const Case = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.compliance_case'),
  project_id: Type.String(),
  external_id: nullable(Type.String()),
  kind: Type.Enum([...CASE_KINDS]),
  country: Type.Enum([...COUNTRIES]),
  number_type: Type.String(),
  phone_number: nullable(Type.String({ description: 'The phone number of the case; null if it has none.' })),
  capabilities: Type.Array(Type.String()),
  use_case: Type.String(),
  state: State,
  version: Type.Integer({ minimum: 1 }),
  network_status: Type.Enum([...NETWORK_STATES]),
  continuation_reason: Type.Enum([...CONTINUATIONS]),
  terminal_reason: nullable(Type.Enum([...TERMINAL_REASONS])),
  network_reference: nullable(Type.String({ description: 'The ID of the case at the carrier.' })),
  network_reason: nullable(Type.String()),
  missing: Type.Array(Missing, { description: 'What must be resolved before the next step, with reasons.' }),
  rules_snapshot: RulesSnapshot,
  document_requests: Type.Array(DocumentRequest),
  attestation_requests: Type.Array(AttestationRequest),
  uploads: Type.Array(Upload),
  extractions: Type.Array(Extraction),
  matches: Type.Array(Match),
  corrections: Type.Array(Correction, {
    description: 'Corrections of extracted values, without the values themselves.',
  }),
  attestations: Type.Array(Attestation),
  timeline: Type.Array(Event),
  clock_ends_at: nullable(Time),
  created_at: Time,
  updated_at: Time,
  ended_at: nullable(Time),
  retention_delete_at: nullable(Time),
});
export const CaseList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Case),
  next_cursor: nullable(Type.String()),
});
