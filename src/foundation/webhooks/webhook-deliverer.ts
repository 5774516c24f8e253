import type { Kysely } from 'kysely';
import { type Environment, type Sealer, tenantScopeOfRow } from '../access/index.ts';
import { JOB_PRIORITY, type JobQueue, type JobToEnqueue, type RunningJob, type Trx } from '../jobs/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage, Tables } from '../storage/index.ts';
import { acrossTenants } from '../storage/index.ts';
import type { DeliveryResult, EventDestinations, OutboundEvent } from './contract.ts';
import { waitAfter } from './retry-schedule.ts';
import { signingSecrets } from './secrets.ts';
import { type OutboundFetch, sendRequest, signedRequest } from './send-request.ts';

/** The queue has first attempts, and retries to receivers that accepted the last event. */
export const FIRST_QUEUE = 'webhooks';
/** Retries have a queue and concurrency of their own, so that a slow receiver delays only other retries. */
export const RETRY_QUEUE = 'webhooks.retry';

const GONE = 410;

/**
 * The retry schedule ends a delivery, not faults of the sending node. Only this many consecutive faults make the
 * delivery itself dead.
 */
export const MAX_FAULTS = 1000;

export const deliveryJob = (queue: string, id: string, tenant: string): JobToEnqueue => ({
  id,
  queue,
  tenant,
  payload: null,
  priority: JOB_PRIORITY.normal,
  maxAttempts: MAX_FAULTS,
});

interface PendingDelivery {
  readonly url: string;
  readonly destination_id: string | null;
  readonly type: string;
  readonly attempts: number;
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: Environment;
  readonly event_id: string;
  readonly body: string;
  readonly idempotency_key: string | null;
}

export const deliveryTenantOf = (orgId: string, url: string): string => `${orgId} ${new URL(url).host}`;

export async function isFailing(db: Kysely<Tables>, turn: string): Promise<boolean> {
  const waiting = await db
    .selectFrom('jobs')
    .select('id')
    .where('queue', '=', RETRY_QUEUE)
    .where('state', '=', 'waiting')
    .where('priority', '=', JOB_PRIORITY.normal)
    .where('tenant', '=', turn)
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}

export interface WebhookDelivererOptions {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly gate: OutboundFetch;
  readonly audience: () => EventDestinations | null;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly random: () => number;
}

export class WebhookDeliverer {
  readonly #options: WebhookDelivererOptions;

  constructor(options: WebhookDelivererOptions) {
    this.#options = options;
  }

  async attempt(job: RunningJob, signal: AbortSignal): Promise<void> {
    const delivery = await this.#pending(job.id);
    if (!delivery) return await job.complete(async () => {});
    const answer = await this.#bring(delivery, signal);
    await job.complete((trx) => this.#record(trx, job, delivery, answer));
  }

  async #bring(delivery: PendingDelivery, signal: AbortSignal): Promise<DeliveryResult> {
    const { gate, clock, audience } = this.#options;
    const scope = tenantScopeOfRow(delivery);
    const parcel: OutboundEvent = {
      scope,
      eventId: delivery.event_id,
      type: delivery.type,
      body: delivery.body,
      idempotencyKey: delivery.idempotency_key,
      secrets: await signingSecrets(this.#options, scope),
      now: clock.now(),
    };
    const { destination_id: destination, url } = delivery;
    if (destination === null) return await sendRequest(gate, signedRequest(url, parcel), signal);
    const service = audience();
    if (service === null)
      return {
        status: null,
        error: 'This server has no destinations configured, so the event cannot be delivered.',
      };
    return await service.deliver(scope, destination, parcel, signal);
  }

  /** The worker failed for good, so the delivery must not stay pending. */
  async died(trx: Trx, deliveryId: string, reason: string): Promise<void> {
    await acrossTenants(trx)
      .updateTable('webhook_deliveries')
      .set({ status: 'dead', next_attempt_at: null, error: reason })
      .where('id', '=', deliveryId)
      .where('status', '=', 'pending')
      .execute();
  }

  async revived(trx: Trx, deliveryId: string): Promise<void> {
    await acrossTenants(trx)
      .updateTable('webhook_deliveries')
      .set({ status: 'pending', next_attempt_at: this.#options.clock.now(), error: null })
      .where('id', '=', deliveryId)
      .where('status', '=', 'dead')
      .execute();
  }

  async #pending(id: string): Promise<PendingDelivery | undefined> {
    return await acrossTenants(this.#options.storage.db)
      .selectFrom('webhook_deliveries as d')
      .innerJoin('webhook_events as e', 'e.id', 'd.event_id')
      .select([
        'd.url',
        'd.destination_id',
        'e.type',
        'd.attempts',
        'd.org_id',
        'd.project_id',
        'd.environment',
        'd.event_id',
        'e.body',
        'e.idempotency_key',
      ])
      .where('d.id', '=', id)
      .where('d.status', '=', 'pending')
      .executeTakeFirst();
  }

  async #record(trx: Trx, job: RunningJob, delivery: PendingDelivery, answer: DeliveryResult): Promise<void> {
    const now = this.#options.clock.now();
    const attempts = delivery.attempts + 1;
    const over = answer.status === GONE || answer.final === true;
    const wait = over ? null : waitAfter(attempts, this.#options.random());
    const again = answer.error !== null && wait !== null ? now + wait : null;
    await acrossTenants(trx)
      .updateTable('webhook_deliveries')
      .set({
        status: answer.error === null ? 'delivered' : again === null ? 'dead' : 'pending',
        attempts,
        next_attempt_at: again,
        last_attempt_at: now,
        response_status: answer.status,
        error: answer.error,
        ...(answer.error === null ? { delivered_at: now } : {}),
      })
      .where('id', '=', job.id)
      .execute();
    if (again === null) return;
    await this.#options.queue.enqueue(trx, { ...deliveryJob(RETRY_QUEUE, job.id, job.tenant), runAt: again });
  }
}
