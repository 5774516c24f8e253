export interface CachedSequence<T> {
  readonly place: T;
  call: string;
  owner: string;
  state: 'busy' | 'idle';
  used: number;
}

/**
 * A call gets its own sequence back. A new call gets a free one, or the longest idle one of the owner with the most:
 * one owner's many calls do not evict the only call of another.
 */
export class SequenceCache<T> {
  readonly #make: () => T;
  readonly #most: number;
  readonly #entry: CachedSequence<T>[] = [];
  #uses = 0;

  constructor(make: () => T, most: number) {
    this.#make = make;
    this.#most = most;
  }

  /**
   * Returns null where all sequences are busy. The tokens of an earlier call stay until they differ from the new
   * prompt.
   */
  acquire(call: string, owner: string): CachedSequence<T> | null {
    const idle = this.#entry.filter(({ state }) => state === 'idle');
    const own = idle.find((entry) => entry.call === call && entry.owner === owner);
    const entry = own ?? this.#another() ?? this.#evicted(idle);
    if (entry === null) return null;
    return Object.assign(entry, { call, owner, state: 'busy' as const, used: ++this.#uses });
  }

  release(entry: CachedSequence<T>): void {
    entry.state = 'idle';
    entry.used = ++this.#uses;
  }

  #another(): CachedSequence<T> | null {
    if (this.#entry.length >= this.#most) return null;
    const entry: CachedSequence<T> = { place: this.#make(), call: '', owner: '', state: 'idle', used: 0 };
    this.#entry.push(entry);
    return entry;
  }

  #evicted(idle: readonly CachedSequence<T>[]): CachedSequence<T> | null {
    const held = (of: string): number => this.#entry.filter(({ owner }) => owner === of).length;
    const [first = null] = idle.toSorted((a, b) => held(b.owner) - held(a.owner) || a.used - b.used);
    return first;
  }
}
