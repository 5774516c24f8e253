import type { MessageRow } from '../../foundation/storage/tables/messages.ts';
import type { FailureCode, MessageView } from './contract.ts';

const iso = (at: number): string => new Date(Number(at)).toISOString();

export const viewOf = (row: MessageRow): MessageView => ({
  id: row.id,
  object: 'message',
  direction: row.direction,
  from: row.from_number,
  to: row.to_number,
  body: row.body,
  media_urls: JSON.parse(row.media_urls) as string[],
  campaign_id: row.campaign_id,
  status: row.status,
  failure_code: row.failure_code as FailureCode | null,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
