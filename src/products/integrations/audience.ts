import type { TenantScope } from '../../foundation/access/contract.ts';
import { SYSTEM_ACTOR } from '../../foundation/audit/index.ts';
import type { EventType, ProductEvent } from '../../foundation/events/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type {
  DeliveryResult,
  DeliveryTarget,
  EventDestinations,
  OutboundEvent,
} from '../../foundation/webhooks/index.ts';
import { adapterOf, type Outside } from './adapters/index.ts';
import type { Destination, Filters } from './contract.ts';
import type { Destinations } from './destinations.ts';
import { passes } from './filters.ts';

const GONE = 410;

/** A delivery shows the host alone, because the path may hold a secret. */
const originOf = (url: string): string => `${new URL(url).origin}/`;
const SECRET_IN_PATH: ReadonlySet<string> = new Set(['slack', 'hook']);

export class DestinationAudience implements EventDestinations {
  readonly #destinations: Destinations;
  readonly #outside: Outside;

  constructor(destinations: Destinations, outside: Outside) {
    this.#destinations = destinations;
    this.#outside = outside;
  }

  async targets(trx: Trx, scope: TenantScope, happened: ProductEvent): Promise<readonly DeliveryTarget[]> {
    const rows = await this.#destinations.active(trx, scope);
    return rows
      .filter(({ events }) => (JSON.parse(events) as EventType[]).includes(happened.type))
      .filter(({ filters }) => passes(happened, JSON.parse(filters) as Filters))
      .map(({ id, kind, url }) => ({ destination: id, url: SECRET_IN_PATH.has(kind) ? originOf(url) : url }));
  }

  async deliver(
    scope: TenantScope,
    id: string,
    parcel: OutboundEvent,
    signal: AbortSignal,
  ): Promise<DeliveryResult> {
    const destination = await this.#destinations.find(scope, id);
    if (destination === null) return { status: null, error: 'The destination was removed.', final: true };
    if (destination.status === 'paused') return { status: null, error: 'The destination is paused.' };
    if (destination.status === 'gone')
      return { status: null, error: 'The destination does not accept events any more.', final: true };
    const answer = await adapterOf(destination.kind).deliver(parcel, destination, this.#outside, signal);
    if (answer.status === GONE) await this.#gone(scope, destination);
    return answer;
  }

  /** A destination that answers 410 is shown as gone; a hook is removed, because its tool has unsubscribed. */
  async #gone(scope: TenantScope, { id, kind }: Destination): Promise<void> {
    if (kind === 'hook') await this.#destinations.remove(scope, SYSTEM_ACTOR, id);
    else await this.#destinations.mark(scope, id, 'gone');
  }
}
