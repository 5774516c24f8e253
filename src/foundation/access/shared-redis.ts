import { Redis } from 'ioredis';
import type { Clock } from '../platform/clock.ts';

/** After a failure the circuit stays open this long, so that an outage does not delay requests. */
const CIRCUIT_OPEN_MS = 1_000;
const COMMAND_TIMEOUT_MS = 250;
/** Removes a command that nobody waits for any more. */
const FORGET_COMMAND_MS = 5_000;
const START_TIMEOUT_MS = 2_000;

export interface SharedRedisOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly onError?: (error: Error) => void;
}

/**
 * Wraps the configured Redis. `attempt` returns undefined during an outage and the caller counts by itself, so that
 * an outage neither refuses nor admits everything.
 */
export class SharedRedis {
  readonly redis: Redis;
  readonly #clock: Clock;
  readonly #onError: (error: Error) => void;
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(options: SharedRedisOptions) {
    this.#clock = options.clock;
    this.#onError = options.onError ?? (() => {});
    this.redis = new Redis(options.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: FORGET_COMMAND_MS,
      connectTimeout: START_TIMEOUT_MS,
      retryStrategy: (times) => Math.min(times * 100, CIRCUIT_OPEN_MS),
    });
    // Each lost connection emits an error. Without a handler, ioredis would print it for every retry.
    this.redis.on('error', this.#onError);
  }

  async ready(): Promise<void> {
    if (this.redis.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(START_TIMEOUT_MS, resolve);
      this.redis.once('ready', () => {
        cancel();
        resolve();
      });
    });
  }

  async attempt<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (!this.isUp()) return undefined;
    try {
      return await inTime(command(this.redis));
    } catch (error) {
      this.#restUntil = this.#clock.monotonic() + CIRCUIT_OPEN_MS;
      this.#onError(error as Error);
      return undefined;
    }
  }

  isUp(): boolean {
    return this.redis.status === 'ready' && this.#clock.monotonic() >= this.#restUntil;
  }

  close(): void {
    this.redis.disconnect();
  }
}

/** After a lag of the event loop, timers fire before the answers that have come are read: the deadline lets them be read first. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      setImmediate(() => reject(new Error(`Redis did not answer within ${COMMAND_TIMEOUT_MS} ms`)));
    }, COMMAND_TIMEOUT_MS);
  });
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
