import type { TenantScope } from '../access/contract.ts';
import type { ProductEvent } from '../events/index.ts';
import type { Trx } from '../jobs/contract.ts';
import type { SigningSecrets } from './secrets.ts';

export interface DeliveryTarget {
  readonly destination: string;
  readonly url: string;
}

export interface OutboundEvent {
  readonly scope: TenantScope;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  readonly idempotencyKey: string | null;
  readonly secrets: SigningSecrets;
  readonly now: number;
}

export interface DeliveryResult {
  readonly status: number | null;
  readonly error: string | null;
  readonly final?: true;
}

/** Chooses further receivers of an event beside those that it names, and sends to them. */
export interface EventDestinations {
  targets(trx: Trx, scope: TenantScope, happened: ProductEvent): Promise<readonly DeliveryTarget[]>;
  deliver(
    scope: TenantScope,
    destination: string,
    parcel: OutboundEvent,
    signal: AbortSignal,
  ): Promise<DeliveryResult>;
}
