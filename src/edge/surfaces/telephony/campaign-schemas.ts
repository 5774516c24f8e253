import { type Static, Type } from 'typebox';
import { mergePatchOf, nestedPatchesOf } from '../../../foundation/platform/merge-patch.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import {
  Amd,
  PAUSED_REASONS,
  Pacing,
  PLAN_OBJECTS,
  Retries,
  TARGET_STATES,
  Windows,
} from '../../../telephony/dialling/index.ts';
import { CreatedBy, OwnNumber, PhoneNumber, Variables } from './schemas.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

const Message = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'The message that is left on a voicemail.',
});
const Url = Type.String({ maxLength: 2048, description: 'The URL that receives the events of every call.' });
const Target = closed({ to: PhoneNumber, variables: Type.Optional(Variables) });

export const CampaignBody = closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  from: OwnNumber,
  agent_id: Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' }),
  targets: Type.Optional(
    Type.Array(Target, { maxItems: 10_000, description: 'Targets. Use a CSV file for more than 10,000.' }),
  ),
  windows: Type.Optional(nullable(Windows)),
  pacing: Type.Optional(Pacing),
  retries: Type.Optional(nullable(Retries)),
  amd: Type.Optional(nullable(Amd)),
  message: Type.Optional(nullable(Message)),
  webhook_url: Type.Optional(nullable(Url)),
});
export type CampaignBody = Static<typeof CampaignBody>;

const { targets: _targets, ...changeable } = CampaignBody.properties;
export const CampaignChangeBody = mergePatchOf({ ...changeable, ...nestedPatchesOf(PLAN_OBJECTS) }, [
  'name',
  'from',
  'agent_id',
]);
export type CampaignChangeBody = Static<typeof CampaignChangeBody>;

const WaitingFor = nullable(
  Type.String({
    description:
      'Why a running campaign does not dial at the moment, such as `quiet_hours`, `rate_limit_exceeded` or `credit_exhausted`. It resumes automatically.',
  }),
);

const CampaignState = Type.Enum(['draft', 'running', 'paused', 'done']);

export const Campaign = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.campaign'),
  name: Type.String(),
  from: Type.String(),
  agent_id: Type.String(),
  state: CampaignState,
  waiting_for: WaitingFor,
  paused_reason: Type.Union([Type.Enum([...PAUSED_REASONS]), Type.Null()], {
    description: 'Why the campaign was paused automatically; null if it was not.',
  }),
  windows: nullable(Windows),
  pacing: Pacing,
  retries: nullable(Retries),
  amd: nullable(Amd),
  message: nullable(Type.String()),
  webhook_url: nullable(Type.String()),
  created_by: CreatedBy,
  created_at: Type.Integer(),
  started_at: nullable(Type.Integer()),
  ended_at: nullable(Type.Integer()),
});
export const CampaignList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Campaign),
  next_cursor: nullable(Type.String()),
});
export const CampaignQuery = Type.Object({ ...PageQuery.properties, state: Type.Optional(CampaignState) });
export const CampaignParams = Type.Object({ campaign_id: Type.String({ maxLength: 256 }) });
export type CampaignParams = Static<typeof CampaignParams>;
export const TargetsAdded = Type.Object({
  object: Type.Literal('telephony.campaign_targets'),
  campaign_id: Type.String(),
  added: Type.Integer(),
  targets: Type.Integer({ description: 'The total number of targets of the campaign.' }),
});
export const CampaignDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.campaign'),
  deleted: Type.Literal(true),
});
const filter = {
  state: Type.Optional(Type.Enum([...TARGET_STATES])),
  outcome: Type.Optional(
    Type.String({ maxLength: 64, description: 'An outcome, as in the report.', examples: ['no_answer'] }),
  ),
};
export const TargetFilterQuery = Type.Object(filter);
export const TargetQuery = Type.Object({ ...PageQuery.properties, ...filter });
export const CampaignTarget = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.campaign_target'),
  to: Type.String(),
  variables: Type.Record(Type.String(), Type.String()),
  state: Type.Enum([...TARGET_STATES]),
  attempts: Type.Integer({ description: 'The number of calls made.' }),
  outcome: nullable(Type.String({ description: 'How the last call ended, or why no call was made.' })),
  call_id: nullable(Type.String({ description: 'The ID of the last call: /v1/telephony/calls/{id}.' })),
  next_at: nullable(Type.Integer({ description: 'For `waiting`: the earliest time of the next call.' })),
});
export const TargetList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(CampaignTarget),
  next_cursor: nullable(Type.String()),
});
export const Report = Type.Object({
  object: Type.Literal('telephony.campaign_report'),
  campaign_id: Type.String(),
  state: Type.String(),
  waiting_for: WaitingFor,
  targets: Type.Object({ waiting: Type.Integer(), calling: Type.Integer(), done: Type.Integer() }),
  attempts: Type.Integer(),
  outcomes: Type.Record(Type.String(), Type.Integer(), {
    description: 'Finished targets by outcome: how their last call ended, or why no call was made.',
  }),
});
