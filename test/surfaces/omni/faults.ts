/** What the tests of faults share: a call that is asked something by key, and the one record that it leaves. */
import { expect } from 'vitest';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import type { Client, openOmni } from './server.ts';

type Opened = Awaited<ReturnType<typeof openOmni>>;
export const ORG = new OneKeyAccess().principal().orgId;

/** The record, once it is written; and that it was written once, with at most one usage event. */
export async function recordOf({ calls, storage }: Opened, id: unknown) {
  await expect.poll(() => calls.find(ORG, String(id)), { timeout: 15_000 }).not.toBeNull();
  const rows = await storage.db.selectFrom('omni_calls').selectAll().execute();
  expect(rows.filter((row) => row.id === id)).toHaveLength(1);
  const events = await storage.db
    .selectFrom('usage_events')
    .selectAll()
    .where('resource', '=', String(id))
    .execute();
  expect(events.length).toBeLessThanOrEqual(1);
  const row = rows.find((one) => one.id === id);
  if (row === undefined) throw new Error('no record');
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

/** Keys pressed take the turn like words, without the time that recognition needs. */
export const press = (client: Client, digits = '1'): void => client.control({ type: 'dtmf', digits });

export const agentSaid = (client: Client): string =>
  client.transcripts
    .filter(({ role, final }) => role === 'agent' && final)
    .map(({ text }) => text)
    .join(' ');
