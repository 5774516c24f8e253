import type { Storage } from '../../foundation/storage/index.ts';

const TOPIC = 'providers.keys';
/** A call that began before so many changes is at most some hours old. */
const MOST_REMEMBERED = 10_000;

interface Notice {
  readonly id: string;
  /** It is null once the key was deleted. */
  readonly revision: number | null;
}

/**
 * Tells the calls of every node that a key was replaced or deleted. Where notices may have been missed, keys that were
 * read before count as replaced, so that no call goes on with a deleted one.
 */
export class KeyRevisions {
  readonly #storage: Storage;
  readonly #latest = new Map<string, number | null>();
  readonly #stop: () => void;
  #gaps = 0;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#stop = storage.listen(TOPIC, {
      onMessage: (payload) => this.#take(JSON.parse(payload) as Notice),
      onGap: () => {
        this.#gaps += 1;
      },
    });
  }

  /** Call it before the key is read; the answer says whether what was read is still current. */
  watch(): (id: string, revision: number) => boolean {
    const gaps = this.#gaps;
    return (id, revision) => {
      const latest = this.#latest.get(id);
      return gaps === this.#gaps && (latest === undefined || latest === revision);
    };
  }

  publish(notice: Notice, transaction: Parameters<Storage['notify']>[2]): Promise<void> {
    return this.#storage.notify(TOPIC, JSON.stringify(notice), transaction);
  }

  stop(): void {
    this.#stop();
  }

  #take({ id, revision }: Notice): void {
    this.#latest.delete(id);
    this.#latest.set(id, revision);
    if (this.#latest.size > MOST_REMEMBERED) this.#latest.delete(this.#latest.keys().next().value as string);
  }
}
