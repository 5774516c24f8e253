/** A place for one call's evaluated tokens. */
export interface CachedSequence<T> {
  readonly place: T;
  call: string;
  owner: string;
  state: 'busy' | 'idle';
  /** Larger values were used more recently. */
  used: number;
}

/** Which call's evaluated tokens are where. A call finds its own place again. A new one takes a free place, else that which was idle
 * longest of the owner who holds most: one owner's many calls do not push out the only call of another. */
export class SequenceCache<T> {
  readonly #make: () => T;
  readonly #most: number;
  readonly #kept: CachedSequence<T>[] = [];
  #uses = 0;

  constructor(make: () => T, most: number) {
    this.#make = make;
    this.#most = most;
  }

  /**
   * Returns null where all sequences are busy. The tokens of an earlier call stay until they differ from the
   * new prompt.
   */
  acquire(call: string, owner: string): CachedSequence<T> | null {
    const idle = this.#kept.filter(({ state }) => state === 'idle');
    const own = idle.find((kept) => kept.call === call && kept.owner === owner);
    const kept = own ?? this.#another() ?? this.#evicted(idle);
    if (kept === null) return null;
    return Object.assign(kept, { call, owner, state: 'busy' as const, used: ++this.#uses });
  }

  release(kept: CachedSequence<T>): void {
    kept.state = 'idle';
    kept.used = ++this.#uses;
  }

  #another(): CachedSequence<T> | null {
    if (this.#kept.length >= this.#most) return null;
    const kept: CachedSequence<T> = { place: this.#make(), call: '', owner: '', state: 'idle', used: 0 };
    this.#kept.push(kept);
    return kept;
  }

  #evicted(idle: readonly CachedSequence<T>[]): CachedSequence<T> | null {
    const held = (of: string): number => this.#kept.filter(({ owner }) => owner === of).length;
    const [first = null] = idle.toSorted((a, b) => held(b.owner) - held(a.owner) || a.used - b.used);
    return first;
  }
}
