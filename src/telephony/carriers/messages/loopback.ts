import {
  type MessageCarrier,
  MessageCarrierError,
  type MessageListener,
  type MessageOrder,
} from './contract.ts';

/** Test recipients; every other `+1500555…` accepts a message without any report. */
const FILTERED = '+15005550008';
const UNREACHABLE = '+15005550003';
const UNKNOWN = '+15005550011';
const ANSWERS = '+15005550001';
const TRIAL = /^\+1500555\d{4}$/;

const rethrown = (error: unknown): never => {
  throw error;
};

export class LoopbackMessages implements MessageCarrier {
  #listener: MessageListener | null = null;
  readonly #taken = new Set<string>();
  readonly #under = new Set<Promise<void>>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void = rethrown) {
    this.#onError = onError;
  }

  listen(listener: MessageListener): void {
    this.#listener = listener;
  }

  async send(order: MessageOrder): Promise<void> {
    const { id, to } = order;
    if (to === FILTERED)
      throw new MessageCarrierError('filtered', 'The loopback network classifies it as spam.');
    if (this.#taken.has(id)) return;
    this.#taken.add(id);
    const delivery: Promise<void> = Promise.resolve()
      .then(() => this.#deliver(order))
      .catch(this.#onError)
      .finally(() => this.#under.delete(delivery));
    this.#under.add(delivery);
  }

  async stop(): Promise<void> {
    this.#listener = null;
    await Promise.all(this.#under);
  }

  async write(from: string, to: string, body: string, mediaUrls: readonly string[] = []): Promise<void> {
    const reference = `loop_${from}_${this.#taken.size}_${Math.random().toString(36).slice(2)}`;
    await this.#listener?.incoming({ reference, from, to, body, mediaUrls });
  }

  async #deliver({ id, from, to, body, mediaUrls }: MessageOrder): Promise<void> {
    const listener = this.#listener;
    const isHeld = await listener?.incoming({ reference: `loop_${id}`, from, to, body, mediaUrls });
    if (isHeld === true) {
      await listener?.report({ id, state: 'delivered' });
      return;
    }
    if (to === UNREACHABLE || to === UNKNOWN || !TRIAL.test(to)) {
      const code = to === UNREACHABLE ? 'unreachable' : 'unknown_number';
      await listener?.report({ id, state: 'failed', code });
      return;
    }
    await listener?.report({ id, state: 'delivered' });
    if (to === ANSWERS)
      await listener?.incoming({
        reference: `answer_${id}`,
        from: to,
        to: from,
        body: `You wrote: ${body}`,
        mediaUrls: [],
      });
  }
}
