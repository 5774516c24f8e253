import { expect } from 'vitest';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import type { Client, openOmni } from './server.ts';

type Opened = Awaited<ReturnType<typeof openOmni>>;
export const OURS = tenantScopeOf(new OneKeyAccess().principal());

/** Returns the record once it is written. The hook after each test checks that no call ended twice. */
export async function recordOf({ calls, storage }: Opened, id: unknown) {
  await expect.poll(() => calls.find(OURS, String(id)), { timeout: 15_000 }).not.toBeNull();
  const row = await acrossTenants(storage.db)
    .selectFrom('omni_calls')
    .selectAll()
    .where('id', '=', String(id))
    .executeTakeFirstOrThrow();
  const events = await storage.db
    .selectFrom('usage_events')
    .selectAll()
    .where('resource', '=', String(id))
    .execute();
  // A failed call is free; the bill of any other call has the record's duration, or there is none.
  expect(events.map(({ milliseconds }) => Number(milliseconds))).toEqual(
    row.status === 'failed' || events.length === 0 ? [] : [Number(row.duration_ms)],
  );
  const stored = JSON.parse(row.turns ?? '{"degraded":[]}') as {
    degraded: { step: string; reason: string }[];
  };
  return {
    status: row.status,
    end_reason: row.end_reason,
    billed: events.length === 0 ? 0 : Number(events[0]?.milliseconds),
    degraded: stored.degraded.map(({ step, reason }) => `${step} ${reason}`),
    transcript: (JSON.parse(row.transcript ?? '[]') as { role: string; text: string }[]).map(
      ({ role, text }) => `${role}: ${text}`,
    ),
    row,
  };
}

/** Pressed keys take the turn like words, without the delay of recognition. */
export const press = (client: Client, digits = '1'): void => client.control({ type: 'dtmf', digits });

export const agentSaid = (client: Client): string =>
  client.transcripts
    .filter(({ role, final }) => role === 'agent' && final)
    .map(({ text }) => text)
    .join(' ');
