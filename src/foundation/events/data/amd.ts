import Type, { type Static } from 'typebox';
import { nullable } from '../define-event.ts';

export const AMD_ANSWERS = [
  'human',
  'voicemail',
  'ivr',
  'receptionist',
  'screening',
  'dead_number',
  'fax',
  'no_answer',
  'unknown',
] as const;

export const AmdAnswer = Type.Enum([...AMD_ANSWERS]);

export const AmdCallRecord = Type.Object({
  id: Type.String(),
  object: Type.Literal('amd.call'),
  stream_sid: nullable(Type.String()),
  call_sid: nullable(Type.String()),
  to: nullable(Type.String({ description: 'The called number, if the stream contains it.' })),
  external_id: nullable(Type.String({ description: 'Your ID of the called person, as in the stream.' })),
  answered_by: AmdAnswer,
  answered_by_twilio: Type.String(),
  reason: Type.String({ description: 'The code of the evidence that decided the verdict.' }),
  reasons: Type.Array(Type.Object({ code: Type.String(), detail: Type.String(), weight: Type.Number() })),
  confidence: Type.Number(),
  at_ms: Type.Integer(),
  message_end: nullable(
    Type.Object({ kind: Type.Enum(['beep', 'silence', 'other']), at_ms: Type.Integer() }),
  ),
  updates: Type.Array(
    Type.Object({ from: Type.String(), to: Type.String(), at_ms: Type.Integer(), reason: Type.String() }),
  ),
  transcript: nullable(Type.String()),
  evidence: Type.Array(
    Type.Object({
      at_ms: Type.Integer(),
      from_ms: Type.Optional(Type.Integer({ description: 'The start of the evidence.' })),
      to_ms: Type.Optional(
        Type.Integer({ description: 'The end of the evidence, if it is known completely.' }),
      ),
      kind: Type.String(),
      detail: Type.String(),
    }),
  ),
  duration_ms: Type.Integer(),
  corrected_to: nullable(AmdAnswer),
  created_at: Type.Integer(),
});

export const AMD_DECIDED: Static<typeof AmdCallRecord> = {
  id: 'amd_4fT9bQw2LmXc7RzK1hVd',
  object: 'amd.call',
  stream_sid: 'MZ18ad3ab5a668481ce02b83e7395059f0',
  call_sid: 'CA18ad3ab5a668481ce02b83e7395059f0',
  to: '+15005550001',
  external_id: 'customer-17',
  answered_by: 'voicemail',
  answered_by_twilio: 'machine_start',
  reason: 'leave_a_message',
  reasons: [{ code: 'leave_a_message', detail: 'please leave a message after the tone', weight: 4.2 }],
  confidence: 0.97,
  at_ms: 2480,
  message_end: null,
  updates: [],
  transcript: 'Please leave a message after the tone.',
  evidence: [{ at_ms: 2480, kind: 'words', detail: 'Please leave a message after the tone.' }],
  duration_ms: 2480,
  corrected_to: null,
  created_at: 1_795_348_800_000,
};

export const AMD_MESSAGE_ENDED: Static<typeof AmdCallRecord> = {
  ...AMD_DECIDED,
  answered_by_twilio: 'machine_end_beep',
  message_end: { kind: 'beep', at_ms: 4120 },
  evidence: [
    ...AMD_DECIDED.evidence,
    { at_ms: 4160, kind: 'tone', detail: 'beep, 3.72 s to 4.12 s, 1000 Hz' },
  ],
  duration_ms: 4400,
};
