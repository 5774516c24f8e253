import Type from 'typebox';
import { AmdCallRecord } from '../../../foundation/events/index.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import { Aggressiveness, ANSWERS, MODES } from '../../../speech/amd/index.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

const Answer = Type.Enum([...ANSWERS]);
const Decided = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'A higher value decides sooner, with less evidence.',
});
const Mode = Type.Enum([...MODES]);
const TimeoutMs = Type.Integer({ minimum: 3000, maximum: 59_000 });
const WebhookUrl = nullable(Type.String({ maxLength: 2048 }));

export const ConfigBody = Type.Object(
  {
    aggressiveness: Type.Optional(Aggressiveness),
    mode: Type.Optional(Mode),
    timeout_ms: Type.Optional(TimeoutMs),
    webhook_url: Type.Optional(WebhookUrl),
  },
  { additionalProperties: false },
);
export const Config = Type.Object({
  object: Type.Literal('amd.config'),
  aggressiveness: Decided,
  mode: Mode,
  timeout_ms: TimeoutMs,
  webhook_url: WebhookUrl,
});

export const Call = AmdCallRecord;
export const CallList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Call),
  next_cursor: nullable(Type.String()),
});
export const CallQuery = Type.Object({
  ...PageQuery.properties,
  answered_by: Type.Optional(Answer),
  call_sid: Type.Optional(Type.String({ maxLength: 128 })),
});
export const CallParams = Type.Object({ call_id: Type.String({ maxLength: 256 }) });
export const VerdictBody = Type.Object({ answered_by: Answer }, { additionalProperties: false });
export const ReportQuery = Type.Object({ aggressiveness: Type.Optional(Decided) });
export const Report = Type.Object({
  object: Type.Literal('amd.report'),
  calls: Type.Integer({
    description:
      'The number of calls, at most the latest 1,000, whose verdict was confirmed or corrected by a person.',
  }),
  right: Type.Integer(),
  humans_called_machines: Type.Integer(),
  machines_called_humans: Type.Integer(),
  confusion: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer())),
  aggressiveness: nullable(
    Type.Number({ description: 'The aggressiveness at which the calls were evaluated again.' }),
  ),
});
