import type { ImpliedPrincipals } from '../../foundation/access/index.ts';
import type { JobQueue, Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Storage } from '../../foundation/storage/index.ts';
import type { CallTokens, TokenOwner } from './call-tokens.ts';
import type { Delivery, Reception } from './contract.ts';
import type { ImportedCalls } from './imported-calls.ts';
import { importJob } from './importing.ts';
import { milliseconds, PROVIDERS, type Provider } from './providers/index.ts';

export interface ReceiverOptions {
  readonly storage: Storage;
  readonly queue: JobQueue;
  readonly clock: Clock;
  readonly tokens: CallTokens;
  readonly calls: ImportedCalls;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
}

/** An event older than this is refused as a replay. */
const STALE_MS = 5 * 60_000;
/** A recording waits this long for the rest of its call. */
const REST_MS = 10 * 60_000;

export class Receiver {
  readonly #options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  async take(provider: Provider, delivery: Delivery): Promise<Reception> {
    const { storage, calls, tokens } = this.#options;
    const owner = await tokens.owner(provider, delivery.token);
    if (owner === null) throw new ApiError('invalid_api_key', 'The token does not belong to this provider.');
    this.#checkFresh(delivery);
    await this.#checkOwner(owner);
    const call = PROVIDERS[provider](delivery.event, delivery.data);
    // Most repeated events are recognized without a write.
    if (await calls.knows(owner.scope, provider, call)) return 'coalesced';
    // Each delivery writes the call's row first, so that concurrent deliveries of a call wait for each other.
    return await storage.transaction(
      async (trx) => {
        const { row, news } = await calls.note(trx, owner.scope, owner.keyId, provider, call);
        if (row.recording_url !== null) await this.#import(trx, owner, row.id, row.ended_at !== null);
        return news ? 'accepted' : 'coalesced';
      },
      { isolation: 'read committed' },
    );
  }

  #checkFresh({ timestamp }: Delivery): void {
    const age = this.#options.clock.now() - milliseconds(timestamp);
    if (Math.abs(age) > STALE_MS)
      throw new ApiError(
        'unauthorized',
        'The timestamp of the event differs from the server’s clock by more than five minutes.',
      );
  }

  /** Entitlements are checked again with each delivery, because they end. A token ends when a new one is minted. */
  async #checkOwner({ scope }: TokenOwner): Promise<void> {
    const principal = await this.#options.standings.of(scope);
    if (principal === null) throw new ApiError('unauthorized', 'The project of the token was deleted.');
    if (!principal.entitlements.includes('call_integrations'))
      throw new ApiError(
        'call_integrations_not_entitled',
        'Your organization is not entitled to import calls.',
      );
  }

  async #import(trx: Trx, { scope }: TokenOwner, id: string, whole: boolean): Promise<void> {
    const { calls, queue, clock } = this.#options;
    const runAt = clock.now() + (whole ? 0 : REST_MS);
    if (await calls.move(trx, scope, id, 'waiting', { state: 'queued' }))
      await queue.enqueue(trx, { ...importJob(id, scope.org), runAt });
    else if (whole && (await queue.view(trx, id))?.state === 'waiting')
      await queue.reschedule(trx, id, runAt);
  }
}
