import type { Transaction } from 'kysely';
import type { Tables } from '../storage/tables/index.ts';
import type { UsageEvent } from './contract.ts';
import { settleReservation } from './credit-reservations.ts';
import { meterOf } from './metering.ts';

function mustBeCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`The ${name} of a usage event must be an integer from 0, not ${value}.`);
  }
}

/**
 * Only appends, so that writers of one organization never wait for each other. An existing id is the same use
 * recorded again. The roll-up sums later.
 */
export async function insertUsageEvent(
  transaction: Transaction<Tables>,
  event: UsageEvent,
  recordedAt: number,
): Promise<void> {
  mustBeCount('milliseconds', event.milliseconds);
  mustBeCount('count', event.count);
  if (event.milliseconds === 0 && event.count === 0) return;
  const inserted = await transaction
    .insertInto('usage_events')
    .values({
      id: event.id,
      meter: meterOf(event.use),
      org_id: event.orgId,
      project_id: event.projectId,
      key_id: event.keyId,
      environment: event.environment,
      milliseconds: event.milliseconds,
      count: event.count,
      bundled: event.bundled ? 1 : 0,
      resource: event.resource,
      occurred_at: event.occurredAt,
      recorded_at: recordedAt,
      period: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  if (event.reservationId && inserted.numInsertedOrUpdatedRows === 1n)
    await settleReservation(transaction, event.reservationId, event);
}
