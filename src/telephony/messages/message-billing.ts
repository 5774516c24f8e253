import type { AccessControl, TenantScope } from '../../foundation/access/contract.ts';
import { type ImpliedPrincipals, notEntitled } from '../../foundation/access/index.ts';
import { type Billing, usageEventOf } from '../../foundation/billing/index.ts';
import type { Trx } from '../../foundation/jobs/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { AdmittedText, MessageBilling, TextCharge } from './contract.ts';

export interface MeteredTextsOptions {
  readonly access: Pick<AccessControl, 'admit'>;
  readonly billing: Pick<Billing, 'recordUsage' | 'extendReservation' | 'releaseReservation'>;
  readonly clock: Clock;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
}

/** The reservation outlasts the retries of a text. */
const HOLD_MS = 24 * 3_600_000;

export class MeteredMessageBilling implements MessageBilling {
  readonly #options: MeteredTextsOptions;

  constructor(options: MeteredTextsOptions) {
    this.#options = options;
  }

  async admit(scope: TenantScope, keyId: string | null, messageId: string): Promise<AdmittedText> {
    const { access, billing, standings } = this.#options;
    const principal = await standings.of(scope, keyId);
    if (principal === null) throw new ApiError('not_found', 'The project was deleted.');
    if (!principal.entitlements.includes('messages')) throw notEntitled('messages');
    const order = { realtime: false, resource: messageId };
    const { reservationId: hold, handOver, release } = await access.admit(principal, 'messages.text', order);
    const { orgId, projectId, environment } = principal;
    return {
      charge: { account: { orgId, projectId, keyId, environment }, hold },
      keep: async (trx) => {
        if (hold !== null) await billing.extendReservation(trx, hold, HOLD_MS);
      },
      handOver,
      release,
    };
  }

  async settle(trx: Trx, messageId: string, charge: TextCharge): Promise<void> {
    const { billing, clock } = this.#options;
    const { account, hold } = charge;
    await billing.recordUsage(
      trx,
      usageEventOf(account, {
        id: `use_${messageId}`,
        use: 'messages.text',
        milliseconds: 0,
        count: 1,
        resource: messageId,
        occurredAt: clock.now(),
        reservationId: hold,
      }),
    );
    await this.giveBack(trx, charge);
  }

  async giveBack(trx: Trx, { hold }: TextCharge): Promise<void> {
    if (hold !== null) await this.#options.billing.releaseReservation(hold, trx);
  }
}
