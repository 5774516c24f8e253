import { BrainError, type BrainEvent } from '../contract.ts';
import type { FromWorker } from './protocol.ts';

export const TOO_SLOW = 'the local model was too slow';

export class WorkerMessageQueue {
  readonly #messages: FromWorker[] = [];
  readonly #measured: (tokens: number, ms: number) => void;
  #wake: () => void = () => undefined;

  constructor(measured: (tokens: number, ms: number) => void) {
    this.#measured = measured;
  }

  push(message: FromWorker): void {
    if (message.kind === 'measured') this.#measured(message.tokens, message.ms);
    this.#messages.push(message);
    this.#wake();
  }

  async *events(): AsyncGenerator<BrainEvent> {
    for (;;) {
      const message = this.#messages.shift();
      if (message === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (message.kind === 'event') yield message.event;
      else if (message.kind === 'done') return;
      else if (message.kind === 'failed') {
        const { fault } = message;
        throw new BrainError(fault, message.message, { retryable: fault === 'unreachable' });
      }
    }
  }
}
