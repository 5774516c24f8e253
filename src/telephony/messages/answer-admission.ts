import type { AccessControl, Principal, TenantScope } from '../../foundation/access/contract.ts';
import type { ImpliedPrincipals } from '../../foundation/access/index.ts';
import { type Billing, usageEventOf } from '../../foundation/billing/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { AdmittedAnswer, AnswerAdmission } from './contract.ts';

export interface MeteredAnswersOptions {
  readonly access: Pick<AccessControl, 'admit'>;
  readonly billing: Pick<Billing, 'recordUsage'>;
  readonly clock: Clock;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
  readonly onRefused?: (error: ApiError) => void;
}

export class MeteredAnswerAdmission implements AnswerAdmission {
  readonly #options: MeteredAnswersOptions;

  constructor(options: MeteredAnswersOptions) {
    this.#options = options;
  }

  async admit(scope: TenantScope, messageId: string): Promise<AdmittedAnswer | null> {
    const { access, standings, onRefused } = this.#options;
    const principal = await standings.of(scope);
    if (!principal?.entitlements.includes('messages')) return null;
    try {
      const order = { realtime: false, resource: messageId };
      const { reservationId: hold, release } = await access.admit(principal, 'messages.answer', order);
      return this.#admitted(principal, hold, release);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      onRefused?.(error);
      return null;
    }
  }

  #admitted(principal: Principal, hold: string | null, release: () => Promise<void>): AdmittedAnswer {
    const { billing, clock } = this.#options;
    return {
      bill: (trx, messageId) =>
        billing.recordUsage(
          trx,
          usageEventOf(principal, {
            id: `use_${messageId}`,
            use: 'messages.answer',
            milliseconds: 0,
            count: 1,
            resource: messageId,
            occurredAt: clock.now(),
            reservationId: hold,
          }),
        ),
      release,
    };
  }
}
