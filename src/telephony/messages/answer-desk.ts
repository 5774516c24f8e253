import type { Access, Principal, Reach } from '../../foundation/access/contract.ts';
import type { Standings } from '../../foundation/access/index.ts';
import { type Billing, usageOf } from '../../foundation/billing/index.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { AdmittedAnswer, AnswerDesk } from './contract.ts';

export interface MeteredAnswersOptions {
  readonly access: Pick<Access, 'admit'>;
  readonly billing: Pick<Billing, 'record'>;
  readonly clock: Clock;
  readonly standings: Pick<Standings, 'of'>;
  readonly onRefused?: (error: ApiError) => void;
}

/** Answers are admitted and billed by the project's own standing, as the calls of its numbers are. */
export class MeteredAnswers implements AnswerDesk {
  readonly #options: MeteredAnswersOptions;

  constructor(options: MeteredAnswersOptions) {
    this.#options = options;
  }

  async admit(reach: Reach, messageId: string): Promise<AdmittedAnswer | null> {
    const { access, standings, onRefused } = this.#options;
    const principal = await standings.of(reach);
    if (!principal?.entitlements.includes('messages')) return null;
    try {
      const order = { realtime: false, resource: messageId };
      const { hold, release } = await access.admit(principal, 'messages.answer', order);
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
        billing.record(
          trx,
          usageOf(principal, {
            id: `use_${messageId}`,
            use: 'messages.answer',
            milliseconds: 0,
            count: 1,
            resource: messageId,
            occurredAt: clock.now(),
            hold,
          }),
        ),
      release,
    };
  }
}
