import type { Access, Principal, Reach } from '../access/contract.ts';
import { type Billing, usageOf } from '../billing/index.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { AdmittedAnswer, AnswerDesk, NumberBook } from './contract.ts';

export interface MeteredAnswersOptions {
  readonly access: Pick<Access, 'admit'>;
  readonly billing: Pick<Billing, 'record'>;
  readonly clock: Clock;
  readonly numbers: Pick<NumberBook, 'keyOf'>;
  /** Null: the key is dead. */
  readonly principalOf: (keyId: string) => Promise<Principal | null>;
  readonly onRefused?: (error: ApiError) => void;
}

/** Answers are admitted and billed by the key of the number that they leave from, as its calls are. */
export class MeteredAnswers implements AnswerDesk {
  readonly #options: MeteredAnswersOptions;

  constructor(options: MeteredAnswersOptions) {
    this.#options = options;
  }

  async admit(reach: Reach, phoneNumber: string, messageId: string): Promise<AdmittedAnswer | null> {
    const { access, numbers, principalOf, onRefused } = this.#options;
    const keyId = await numbers.keyOf(reach, phoneNumber);
    const principal = keyId === null ? null : await principalOf(keyId);
    if (principal === null) return null;
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
