import type { TenantScope } from '../access/contract.ts';
import type { Sealer } from '../access/index.ts';
import { type AuditActor, appendAuditRecord, auditScope, SYSTEM_ACTOR } from '../audit/index.ts';
import type { ProductEvent } from '../events/index.ts';
import type { JobDefinition, JobQueue, JobWorker, Trx } from '../jobs/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { PageEnd } from '../platform/pages.ts';
import type { Storage } from '../storage/index.ts';
import { acrossTenants, withinTenant } from '../storage/index.ts';
import type { DeliveryTarget, EventDestinations } from './contract.ts';
import { type DeliveryFilter, type DeliveryRecord, deliveryOf, listDeliveries } from './deliveries.ts';
import { type FailingEndpoint, failingEndpoints } from './failing-endpoint-report.ts';
import { ensureSecret, type MintedSecret, mintSecret, signingSecrets } from './secrets.ts';
import { type OutboundFetch, signatureHeaders } from './send-request.ts';
import {
  deliveryJob,
  deliveryTenantOf,
  FIRST_QUEUE,
  isFailing,
  MAX_FAULTS,
  RETRY_QUEUE,
  WebhookDeliverer,
} from './webhook-deliverer.ts';

export type WebhookEvent = ProductEvent & {
  readonly scope: TenantScope;
  readonly resource?: string;
  /** The event also goes to these receivers. Without any receiver, it is not recorded. */
  readonly urls: readonly string[];
  readonly only?: readonly DeliveryTarget[];
  readonly idempotencyKey?: string | null;
};

export interface WebhooksOptions {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly gate: OutboundFetch;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly random?: () => number;
  readonly background: BackgroundTasks;
  readonly onError?: (error: Error) => void;
  readonly happened?: (trx: Trx, event: WebhookEvent) => Promise<void>;
  readonly concurrency?: number;
}

interface Receiver {
  readonly url: string;
  readonly destination: string | null;
}

const CONCURRENCY = 128;
const PER_RECEIVER = 8;
const PER_ORGANIZATION = 48;
const LEASE_MS = 45_000;
const RETENTION_MS = 30 * 24 * 3600 * 1000;
/** The first run is early, because a node may be restarted more often than hourly. */
const FIRST_SWEEP_MS = 5 * 60_000;
const SWEEP_EVERY_MS = 3600 * 1000;

/** Delivers events at least once, under one id. */
export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #deliverer: WebhookDeliverer;
  #audience: EventDestinations | null = null;
  #workers: JobWorker[] = [];
  #sweeping: RepeatingTask | null = null;

  constructor(options: WebhooksOptions) {
    this.#options = options;
    this.#deliverer = new WebhookDeliverer({
      ...options,
      random: options.random ?? Math.random,
      audience: () => this.#audience,
    });
    for (const queue of [FIRST_QUEUE, RETRY_QUEUE]) options.queue.define(this.#definition(queue));
  }

  setDestinations(audience: EventDestinations): void {
    this.#audience = audience;
  }

  async publish(trx: Trx, event: WebhookEvent): Promise<string | null> {
    await this.#options.happened?.(trx, event);
    const receivers = await this.#receiversOf(trx, event);
    if (receivers.length === 0) return null;
    const now = this.#options.clock.now();
    const id = newId('evt');
    await ensureSecret(trx, this.#options, event.scope);
    await withinTenant(trx, event.scope)
      .insertInto('webhook_events', {
        id,
        type: event.type,
        body: JSON.stringify({ id, type: event.type, created_at: now, data: event.data }),
        resource: event.resource ?? null,
        idempotency_key: event.idempotencyKey ?? null,
        created_at: now,
      })
      .execute();
    for (const receiver of receivers) await this.#addDelivery(trx, event.scope, id, receiver, now);
    return id;
  }

  async signed(scope: TenantScope, body: string): Promise<Readonly<Record<string, string>>> {
    const secrets = await signingSecrets(this.#options, scope);
    return signatureHeaders(secrets, body, this.#options.clock.now());
  }

  mintSecret(scope: TenantScope, by: AuditActor = SYSTEM_ACTOR): Promise<MintedSecret> {
    const { clock } = this.#options;
    return mintSecret(this.#options, scope, (trx) =>
      appendAuditRecord(trx, clock.now(), {
        ...auditScope(scope),
        by,
        action: 'webhooks.secret_minted',
        target: scope.project,
        before: null,
        after: null,
      }),
    );
  }

  failingEndpoints(since: number): Promise<FailingEndpoint[]> {
    return failingEndpoints(this.#options.storage.db, since);
  }

  deliveries(scope: TenantScope, query: DeliveryFilter, start: PageEnd | null): Promise<DeliveryRecord[]> {
    return listDeliveries(this.#options.storage.db, scope, query, start);
  }

  /** Sends the event again now with the full retry schedule; returns null for an unknown delivery. */
  async redeliver(scope: TenantScope, id: string): Promise<DeliveryRecord | null> {
    const { storage, queue, clock } = this.#options;
    return await storage.transaction(async (trx) => {
      const now = clock.now();
      const row = await withinTenant(trx, scope)
        .updateTable('webhook_deliveries')
        .set({ status: 'pending', attempts: 0, next_attempt_at: now, error: null })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (!row) return null;
      const job = await queue.view(trx, id);
      // The outcome of an attempt in flight would count toward the schedule that begins here.
      if (job?.state === 'waiting') await queue.reschedule(trx, id, now);
      else await queue.replace(trx, deliveryJob(FIRST_QUEUE, id, deliveryTenantOf(scope.org, row.url)));
      return await deliveryOf(trx, scope, id);
    });
  }

  async forget(scope: TenantScope, records: readonly string[]): Promise<Record<string, number>> {
    let events = 0;
    for (const record of records) {
      const { numDeletedRows } = await withinTenant(this.#options.storage.db, scope)
        .deleteFrom('webhook_events')
        .where('resource', '=', record)
        .executeTakeFirst();
      events += Number(numDeletedRows);
    }
    return { events };
  }

  start(): void {
    const { queue, onError } = this.#options;
    const options = onError ? { onError } : {};
    this.#workers = [FIRST_QUEUE, RETRY_QUEUE].map((name) =>
      queue.startWorker(this.#definition(name), options),
    );
    const times = { everyMs: SWEEP_EVERY_MS, firstMs: FIRST_SWEEP_MS };
    this.#sweeping = this.#options.background.repeat('old webhook deliveries', () => this.sweep(), times);
  }

  async stop(deadlineMs: number): Promise<void> {
    void this.#sweeping?.stop();
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop(deadlineMs)));
  }

  async sweep(): Promise<void> {
    const before = this.#options.clock.now() - RETENTION_MS;
    await this.#options.storage.transaction(async (trx) => {
      await acrossTenants(trx)
        .deleteFrom('webhook_events')
        .where('created_at', '<', before)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('webhook_deliveries')
                .select('webhook_deliveries.id')
                .whereRef('webhook_deliveries.event_id', '=', 'webhook_events.id')
                .where('webhook_deliveries.status', '=', 'pending'),
            ),
          ),
        )
        .execute();
    });
  }

  async #receiversOf(trx: Trx, event: WebhookEvent): Promise<readonly Receiver[]> {
    const named = event.urls.map((url) => ({ url, destination: null }));
    const audience = event.only ?? (await this.#audience?.targets(trx, event.scope, event)) ?? [];
    return [...named, ...audience];
  }

  async #addDelivery(
    trx: Trx,
    scope: TenantScope,
    eventId: string,
    { url, destination }: Receiver,
    now: number,
  ): Promise<void> {
    const id = newId('dlv');
    await withinTenant(trx, scope)
      .insertInto('webhook_deliveries', {
        id,
        event_id: eventId,
        url,
        destination_id: destination,
        status: 'pending',
        attempts: 0,
        next_attempt_at: now,
        last_attempt_at: null,
        response_status: null,
        error: null,
        created_at: now,
        delivered_at: null,
      })
      .execute();
    const tenant = deliveryTenantOf(scope.org, url);
    const queue = (await isFailing(trx, tenant)) ? RETRY_QUEUE : FIRST_QUEUE;
    await this.#options.queue.enqueue(trx, deliveryJob(queue, id, tenant));
  }

  #definition(queue: string): JobDefinition {
    return {
      queue,
      isOutbound: true,
      concurrency: this.#options.concurrency ?? CONCURRENCY,
      perTenant: PER_RECEIVER,
      perGroup: PER_ORGANIZATION,
      leaseMs: LEASE_MS,
      maxLosses: MAX_FAULTS,
      // A single request never crashes a node, so a lost worker is not the delivery's fault.
      lossWaitMs: () => 0,
      run: (job, signal) => this.#deliverer.attempt(job, signal),
      onDead: (trx, job) => this.#deliverer.died(trx, job.id, job.reason),
      onRevived: (trx, job) => this.#deliverer.revived(trx, job.id),
    };
  }
}
