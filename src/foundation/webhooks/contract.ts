import type { TenantScope } from '../access/contract.ts';
import type { ProductEvent } from '../events/index.ts';
import type { Trx } from '../jobs/contract.ts';
import type { SigningSecrets } from './secrets.ts';

/** Somewhere that a customer wants events brought, whatever brings them there. */
export interface DeliveryTarget {
  readonly destination: string;
  /** Where it is, as deliveries show it. */
  readonly url: string;
}

/** An event on its way. */
export interface OutboundEvent {
  readonly scope: TenantScope;
  readonly eventId: string;
  readonly type: string;
  /** The envelope, byte for byte. */
  readonly body: string;
  readonly idempotencyKey: string | null;
  readonly secrets: SigningSecrets;
  readonly now: number;
}

export interface DeliveryResult {
  readonly status: number | null;
  /** An accepted delivery has null. */
  readonly error: string | null;
  /** Another try would come to the same. */
  readonly final?: true;
}

/** Who is told of events beside the receivers that an event names, and how they are reached. */
export interface EventDestinations {
  /** Runs in the transaction of the event. */
  targets(trx: Trx, scope: TenantScope, happened: ProductEvent): Promise<readonly DeliveryTarget[]>;
  deliver(
    scope: TenantScope,
    destination: string,
    parcel: OutboundEvent,
    signal: AbortSignal,
  ): Promise<DeliveryResult>;
}
