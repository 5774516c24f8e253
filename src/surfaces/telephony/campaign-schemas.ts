import { type Static, Type } from 'typebox';
import { PageQuery } from '../../platform/pages.ts';
import { AMD_MODES, Pacing, Retries, Windows } from '../../telephony/index.ts';
import { OwnNumber, PhoneNumber, Variables } from './schemas.ts';

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const closed = <T extends Parameters<typeof Type.Object>[0]>(fields: T) =>
  Type.Object(fields, { additionalProperties: false });

const Amd = closed({ mode: Type.Enum([...AMD_MODES]) });
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

export const Campaign = Type.Object({
  id: Type.String(),
  object: Type.Literal('telephony.campaign'),
  name: Type.String(),
  from: Type.String(),
  agent_id: Type.String(),
  state: Type.Enum(['draft', 'running', 'paused', 'done']),
  windows: nullable(Windows),
  pacing: Pacing,
  retries: nullable(Retries),
  amd: nullable(Amd),
  message: nullable(Type.String()),
  webhook_url: nullable(Type.String()),
  created_at: Type.Integer(),
  started_at: nullable(Type.Integer()),
  ended_at: nullable(Type.Integer()),
});
export const CampaignList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Campaign),
  next_cursor: nullable(Type.String()),
});
export const CampaignQuery = PageQuery;
export const CampaignParams = Type.Object({ campaign_id: Type.String({ maxLength: 256 }) });
export type CampaignParams = Static<typeof CampaignParams>;
export const TargetsAdded = Type.Object({
  object: Type.Literal('telephony.campaign_targets'),
  campaign_id: Type.String(),
  added: Type.Integer(),
  targets: Type.Integer({ description: 'All of the campaign' }),
});
export const Report = Type.Object({
  object: Type.Literal('telephony.campaign_report'),
  campaign_id: Type.String(),
  state: Type.String(),
  targets: Type.Object({ waiting: Type.Integer(), calling: Type.Integer(), done: Type.Integer() }),
  attempts: Type.Integer(),
  outcomes: Type.Record(Type.String(), Type.Integer(), {
    description: 'Targets that are done, by how their last call ended, or why none was made',
  }),
});
