import { ApiError, type ErrorCode } from '../platform/errors.ts';

/** These counters cover the time since the process started; /metrics reports them. */
export class AccessCounters {
  authorized = 0;
  readonly #refusals = new Map<ErrorCode, number>();

  refused(code: ErrorCode): void {
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
  }

  async counting<T>(decision: Promise<T>): Promise<T> {
    try {
      return await decision;
    } catch (error) {
      if (error instanceof ApiError) this.refused(error.code);
      throw error;
    }
  }

  numbers(): Record<string, number> {
    const numbers: Record<string, number> = { authorized_total: this.authorized };
    for (const [code, count] of this.#refusals) numbers[`refused_${code}_total`] = count;
    return numbers;
  }
}
