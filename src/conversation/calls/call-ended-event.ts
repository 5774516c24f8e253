import { tenantScopeOfRow } from '../../foundation/access/index.ts';
import { withinTenant } from '../../foundation/storage/index.ts';
import type { Webhooks } from '../../foundation/webhooks/index.ts';
import type { EndedCallRow } from './call-store.ts';

const EVENT_COLUMNS = [
  'session_label',
  'external_id',
  'agent_id',
  'agent_version',
  'status',
  'end_reason',
  'language',
  'voice_id',
  'voice_tier',
  'duration_ms',
  'started_at',
] as const;

/** It runs in the transaction that writes the call's record as ended. */
export async function publishCallEnded(
  webhooks: Pick<Webhooks, 'publish'>,
  trx: Parameters<Webhooks['publish']>[0],
  ended: EndedCallRow,
  endedAt: number,
): Promise<void> {
  const scope = tenantScopeOfRow(ended);
  const row = await withinTenant(trx, scope)
    .selectFrom('omni_calls')
    .select(EVENT_COLUMNS)
    .where('id', '=', ended.id)
    .executeTakeFirstOrThrow();
  const { agent_version: version, status, duration_ms, started_at, ...named } = row;
  await webhooks.publish(trx, {
    scope,
    type: 'omni.call.ended',
    resource: ended.id,
    urls: [],
    data: {
      call_id: ended.id,
      object: 'omni.call',
      ...named,
      agent_version: version === null ? null : Number(version),
      status: status === 'completed' ? 'completed' : 'failed',
      duration_s: Number(duration_ms) / 1000,
      started_at: Number(started_at),
      ended_at: endedAt,
    },
  });
}
