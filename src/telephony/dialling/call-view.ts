import type {
  TelephonyCallRow,
  TelephonyCampaignRow,
  TelephonyNumberRow,
  TelephonyVoicemailRow,
} from '../../foundation/storage/tables/telephony.ts';
import type { CampaignPlan } from './campaign-plan.ts';
import type { CallQuality, CallRequest, EndReason, PausedReason } from './contract.ts';
import { readSettings } from './number-settings.ts';

const byKey = (id: string | null) => (id === null ? null : { kind: 'key' as const, id });

export const numberView = (row: TelephonyNumberRow) => ({
  id: row.id,
  object: 'telephony.number' as const,
  phone_number: row.phone_number,
  country: row.country,
  number_type: row.number_type,
  capabilities: JSON.parse(row.capabilities) as string[],
  agent_id: row.agent_id,
  carrier: row.carrier,
  status: row.status,
  settings: readSettings(row.settings),
  created_by: byKey(row.key_id),
  created_at: Number(row.created_at),
  released_at: row.released_at === null ? null : Number(row.released_at),
});

const moment = (at: number | null): number | null => (at === null ? null : Number(at));

export const callView = (row: TelephonyCallRow) => ({
  id: row.id,
  object: 'telephony.call' as const,
  direction: row.direction,
  from: row.from_number,
  to: row.to_number,
  agent_id: row.agent_id,
  campaign_id: row.campaign_id,
  state: row.state,
  end_reason: row.end_reason as EndReason | null,
  end_detail: row.end_detail,
  answered_by: row.answered_by,
  omni_call_id: row.omni_call_id,
  variables: requestOf(row).variables ?? {},
  duration_s: Number(row.duration_ms) / 1000,
  billed_minutes: Number(row.billed_minutes),
  quality: JSON.parse(row.quality) as CallQuality,
  schedule_at: moment(row.scheduled_at),
  created_by:
    row.campaign_id === null ? byKey(row.key_id) : { kind: 'campaign' as const, id: row.campaign_id },
  created_at: Number(row.created_at),
  answered_at: moment(row.answered_at),
  ended_at: moment(row.ended_at),
  recording: row.recording_bytes !== null,
});

export const campaignView = (row: TelephonyCampaignRow) => ({
  id: row.id,
  object: 'telephony.campaign' as const,
  name: row.name,
  from: row.from_number,
  agent_id: row.agent_id,
  state: row.state,
  waiting_for: row.waiting_for,
  paused_reason: row.paused_reason as PausedReason | null,
  ...(JSON.parse(row.plan) as CampaignPlan),
  created_by: byKey(row.key_id),
  created_at: Number(row.created_at),
  started_at: moment(row.started_at),
  ended_at: moment(row.ended_at),
});

export const voicemailView = (row: TelephonyVoicemailRow) => ({
  id: row.id,
  object: 'telephony.voicemail' as const,
  number_id: row.number_id,
  call_id: row.call_id,
  from: row.from_number,
  to: row.to_number,
  status: row.status,
  error: row.error,
  duration_s: Number(row.duration_ms) / 1000,
  recording: row.bytes !== null,
  transcript: row.transcript,
  created_at: Number(row.created_at),
  completed_at: moment(row.completed_at),
});

export const requestOf = (row: TelephonyCallRow): CallRequest => JSON.parse(row.request) as CallRequest;
