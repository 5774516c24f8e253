import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import type { Tables } from '../storage/tables/index.ts';
import type { CreditReservationOutcome, ReservationRequest } from './contract.ts';
import { readCreditPosition } from './credit-position.ts';
import { grantReservation } from './limit-checks.ts';
import { meterOf } from './metering.ts';
import type { PriceList } from './price-list.ts';
import type { UnrecordedUsage } from './unrecorded-usage.ts';

/** The value is arbitrary: it is the first half of an advisory lock whose second half is the organization. */
const LOCK_CLASS = 728_193;
/** Expired reservations count for nothing; their rows are removed after this time. */
const KEEP_MS = 60_000;

/**
 * Reserves credit, budgets and caps. Reservations of one organization are serialized over all nodes, so that two
 * cannot take the same credit.
 */
export class CreditReservations {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #prices: PriceList;
  readonly #unrecorded: UnrecordedUsage;

  constructor(storage: Storage, clock: Clock, prices: PriceList, unrecorded: UnrecordedUsage) {
    this.#storage = storage;
    this.#clock = clock;
    this.#prices = prices;
    this.#unrecorded = unrecorded;
  }

  async reserve(request: ReservationRequest): Promise<CreditReservationOutcome> {
    if (request.begins) this.#unrecorded.requireCapacity();
    const pricesOf = await this.#prices.ofEveryMonth();
    const meter = meterOf(request.use);
    return await this.#inTurn(request.orgId, async (transaction) => {
      const now = this.#clock.now();
      const position = await readCreditPosition(transaction, pricesOf, request, now, {
        unrecorded: this.#unrecorded.of(request),
        ownReservation: request.id,
      });
      const outcome = grantReservation(position, meter, request);
      if (outcome.obstacle === null) await upsertReservation(transaction, request, outcome.held, now);
      return outcome;
    });
  }

  async renew(ids: readonly string[], leaseMs: number): Promise<void> {
    const expires_at = this.#clock.now() + leaseMs;
    for (let from = 0; from < ids.length; from += 500) {
      await this.#storage.db
        .updateTable('usage_holds')
        .set({ expires_at })
        .where('id', 'in', ids.slice(from, from + 500))
        .execute();
    }
  }

  async extend(transaction: Transaction<Tables>, id: string, leaseMs: number): Promise<void> {
    await transaction
      .updateTable('usage_holds')
      .set({ expires_at: this.#clock.now() + leaseMs })
      .where('id', '=', id)
      .execute();
  }

  async release(id: string, db: Kysely<Tables> = this.#storage.db): Promise<void> {
    await db.deleteFrom('usage_holds').where('id', '=', id).execute();
  }

  async sweep(): Promise<void> {
    const over = this.#clock.now() - KEEP_MS;
    await this.#storage.db.deleteFrom('usage_holds').where('expires_at', '<', over).execute();
  }

  /** SQLite's transactions take the write lock when they begin; PostgreSQL needs an explicit lock. */
  #inTurn<T>(orgId: string, task: (transaction: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.#storage.transaction(
      async (transaction) => {
        if (this.#storage.dialect === 'postgres') {
          await sql`select pg_advisory_xact_lock(${LOCK_CLASS}::int, hashtext(${orgId}))`.execute(
            transaction,
          );
        }
        return await task(transaction);
      },
      { isolation: 'read committed' },
    );
  }
}

async function upsertReservation(
  transaction: Transaction<Tables>,
  request: ReservationRequest,
  held: { milliseconds: number; count: number },
  now: number,
): Promise<void> {
  const amount = {
    milliseconds: held.milliseconds,
    count: held.count,
    expires_at: now + request.leaseMs,
  };
  await transaction
    .insertInto('usage_holds')
    .values({
      id: request.id,
      use: request.use,
      meter: meterOf(request.use),
      org_id: request.orgId,
      project_id: request.projectId,
      key_id: request.keyId,
      environment: request.environment,
      resource: request.resource,
      created_at: now,
      ...amount,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(amount))
    .execute();
}

export async function settleReservation(
  transaction: Transaction<Tables>,
  id: string,
  { milliseconds, count }: { milliseconds: number; count: number },
): Promise<void> {
  await transaction
    .updateTable('usage_holds')
    .set({
      milliseconds: sql<number>`case when milliseconds > ${milliseconds} then milliseconds - ${milliseconds} else 0 end`,
      count: sql<number>`case when count > ${count} then count - ${count} else 0 end`,
    })
    .where('id', '=', id)
    .execute();
}
