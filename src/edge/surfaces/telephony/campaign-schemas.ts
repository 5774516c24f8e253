import { type Static, Type } from 'typebox';
import { mergePatchOf } from '../../../foundation/platform/merge-patch.ts';
import { PageQuery } from '../../../foundation/platform/pages.ts';
import {
  Amd,
  PAUSED_REASONS,
  Pacing,
  Retries,
  TARGET_STATES,
  Windows,
} from '../../../telephony/dialling/index.ts';
import { CreatedBy, OwnNumber, PhoneNumber, Variables } from './schemas.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

const Message = Type.String({ minLength: 1, maxLength: 1000, description: 'Left on a voicemail' });
const Url = Type.String({ maxLength: 2048, description: 'Told of every call' });
const Target = closed({ to: PhoneNumber, variables: Type.Optional(Variables) });

export const CampaignBody = closed({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  from: OwnNumber,
  agent_id: Type.String({ pattern: '^agt_[0-9A-Za-z]{20}$' }),
  targets: Type.Optional(Type.Array(Target, { maxItems: 10_000, description: 'A CSV holds more' })),
  windows: Type.Optional(nullable(Windows)),
  pacing: Type.Optional(Pacing),
  retries: Type.Optional(nullable(Retries)),
  amd: Type.Optional(nullable(Amd)),
  message: Type.Optional(nullable(Message)),
  webhook_url: Type.Optional(nullable(Url)),
});
export type CampaignBody = Static<typeof CampaignBody>;

const { targets: _targets, ...changeable } = CampaignBody.properties;
export const CampaignChangeBody = mergePatchOf({ ...changeable, pacing: mergePatchOf(Pacing.properties) }, [
  'name',
  'from',
  'agent_id',
]);
export type CampaignChangeBody = Static<typeof CampaignChangeBody>;

const WaitingFor = nullable(
  Type.String({
    description:
      'While it runs: why nobody is dialed now, as `quiet_hours`, `rate_limit_exceeded` or `credit_exhausted`. It goes on by itself',
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
    description: 'Why it stopped by itself; null: it did not, or was asked to pause',
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
  targets: Type.Integer({ description: 'All of the campaign' }),
});
export const CampaignDeleted = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.campaign'),
  deleted: Type.Literal(true),
});
const filter = {
  state: Type.Optional(Type.Enum([...TARGET_STATES])),
  outcome: Type.Optional(
    Type.String({ maxLength: 64, description: 'As the report names them', examples: ['no_answer'] }),
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
  attempts: Type.Integer({ description: 'Calls that were made' }),
  outcome: nullable(Type.String({ description: 'How the last call ended, or why none was made' })),
  call_id: nullable(Type.String({ description: 'The last call: /v1/telephony/calls/{id}' })),
  next_at: nullable(Type.Integer({ description: 'Of `waiting`: not called before' })),
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
    description: 'Targets that are done, by how their last call ended, or why none was made',
  }),
});
