import Type, { type Static } from 'typebox';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { CALL_EVENTS, PROVIDERS, type Provider } from '../../../products/imports/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const ProviderName = Type.Enum(Object.keys(PROVIDERS) as Provider[]);
export const ProviderParams = Type.Object({ provider: Type.String({ maxLength: 256 }) });

export const CallToken = Type.Object({
  object: Type.Literal('integration.call_token'),
  provider: ProviderName,
  token: Type.String({ description: 'The token. It is returned only in this response.' }),
  url: Type.String({ description: 'The URL to which the provider sends its events.' }),
  created_at: Type.Integer(),
});

const CallStatus = Type.Enum(['waiting', 'queued', 'submitted', 'failed'], {
  description: '`waiting` for the recording, `queued` for transcription, `submitted` to Hear, or `failed`.',
});

export const ImportedCallQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(CallStatus),
});
export type ImportedCallQuery = Static<typeof ImportedCallQuery>;

export const ImportedCall = Type.Object({
  id: Type.String(),
  object: Type.Literal('integration.call'),
  provider: ProviderName,
  provider_call_id: Type.String(),
  direction: nullable(Type.Enum(['inbound', 'outbound'])),
  from: nullable(Type.String()),
  to: nullable(Type.String()),
  started_at: nullable(Type.Integer()),
  ended_at: nullable(Type.Integer()),
  status: CallStatus,
  job_id: nullable(
    Type.String({
      description: 'The ID of the transcription job. Recap and Trace reference it as their source.',
    }),
  ),
  error: nullable(Type.String({ description: 'Why the import failed.' })),
  created_at: Type.Integer(),
  updated_at: Type.Integer(),
});
export const ImportedCallList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(ImportedCall),
  next_cursor: nullable(Type.String()),
});

export const CallEventBody = Type.Object(
  {
    event: Type.Enum([...CALL_EVENTS]),
    timestamp: Type.Number({
      minimum: 0,
      maximum: 1e14,
      description: 'Unix time in seconds or milliseconds.',
    }),
    token: Type.String({ minLength: 1, maxLength: 512 }),
    resource: Type.Optional(Type.String({ maxLength: 100, description: 'Aircall sends `call`.' })),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'For `generic`: `id`, `started_at`, `ended_at`, `direction`, `from`, `to` and `recording_url`; additional fields are ignored. For `aircall`: the Aircall call object.',
      examples: [{ id: 'call-17', recording_url: 'https://example.com/call-17.mp3' }],
    }),
  },
  { additionalProperties: false },
);
export const Received = Type.Object({
  status: Type.Enum(['accepted', 'coalesced'], {
    description: '`coalesced` means that the event contained nothing new.',
  }),
});
