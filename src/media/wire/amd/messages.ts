import Type, { type Static } from 'typebox';
import { AmdAnswer } from '../../../foundation/events/index.ts';

const carrier = Type.Enum([
  'human',
  'machine_start',
  'machine_end_beep',
  'machine_end_silence',
  'machine_end_other',
  'fax',
  'unknown',
]);
const following = Type.String({ description: 'A value of `answered_by`, or `hold`.' });
const at = Type.Integer({ description: 'Milliseconds of the stream’s audio.' });
const streamSid = Type.Union([Type.String(), Type.Null()]);

export const AmdMessage = Type.Object({
  event: Type.Literal('amd'),
  streamSid,
  call_id: Type.String(),
  answered_by: AmdAnswer,
  answered_by_twilio: carrier,
  reason: Type.String(),
  confidence: Type.Number(),
  at_ms: at,
  transcript: Type.Union([Type.String(), Type.Null()]),
});
export const MessageEndMessage = Type.Object({
  event: Type.Literal('amd_message_end'),
  streamSid,
  call_id: Type.String(),
  kind: Type.Enum(['beep', 'silence', 'other']),
  at_ms: at,
  answered_by_twilio: carrier,
});
export const UpdateMessage = Type.Object({
  event: Type.Literal('amd_update'),
  streamSid,
  call_id: Type.String(),
  from: following,
  to: following,
  at_ms: at,
  reason: Type.String(),
});
export const ErrorMessage = Type.Object({
  event: Type.Literal('error'),
  error: Type.Object({
    message: Type.String(),
    type: Type.String(),
    code: Type.String(),
    param: Type.Union([Type.String(), Type.Null()]),
  }),
});

export type ServerMessage =
  | Static<typeof AmdMessage>
  | Static<typeof MessageEndMessage>
  | Static<typeof UpdateMessage>
  | Static<typeof ErrorMessage>;
