import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Direction, DoorName, Offer, TranslationDoor } from './contract.ts';

/** How one direction is done. */
export interface Way extends Direction {
  readonly door: TranslationDoor;
  readonly offer: Offer;
}

/** A direction that works now. */
export interface ListedDirection extends Direction {
  readonly by: DoorName;
  readonly via: string | null;
  readonly keepsGlossary: boolean;
  readonly shortens: boolean;
  /** What stands in for the first where it fails. */
  readonly others: readonly DoorName[];
}

interface Tried {
  readonly at: number;
  readonly offers: Promise<readonly Offer[]>;
}

export interface DirectionsDeps {
  /** The best first. */
  readonly doors: readonly TranslationDoor[];
  readonly clock: Clock;
  /** Whether there are voices of a language. */
  readonly speaks: (language: string) => boolean;
  readonly onError?: (door: DoorName, error: unknown) => void;
}

/** A door that failed is tried again after so long. */
const AGAIN_MS = 60_000;

/** What can be dubbed on this server now: every door is tried, and what failed is listed no more. */
export class Directions {
  readonly #deps: DirectionsDeps;
  readonly #tried = new Map<TranslationDoor, Tried>();
  readonly #failed = new Map<TranslationDoor, number>();
  readonly #stop = new AbortController();

  constructor(deps: DirectionsDeps) {
    this.#deps = deps;
  }

  stop(): void {
    this.#stop.abort(new Error('the server stops'));
  }

  async list(): Promise<readonly ListedDirection[]> {
    const ways = await this.#ways();
    const first = new Map<string, Way[]>();
    for (const way of ways) {
      const key = `${way.source}-${way.target}`;
      first.set(key, [...(first.get(key) ?? []), way]);
    }
    return [...first.values()].map(listed).sort(byNames);
  }

  /** Every way to do it, the best first; none: the direction is not served. */
  async waysOf({ source, target }: Direction): Promise<readonly Way[]> {
    return (await this.#ways()).filter((way) => way.source === source && way.target === target);
  }

  /** The door failed in the middle of a job: until it was tried again it is asked last. */
  doubt(door: TranslationDoor, error: unknown): void {
    this.#deps.onError?.(door.name, error);
    this.#failed.set(door, this.#deps.clock.now());
    this.#tried.delete(door);
  }

  async #ways(): Promise<readonly Way[]> {
    const { doors, speaks } = this.#deps;
    const found = await Promise.all(doors.map((door) => this.#offersOf(door)));
    return found.flatMap((offers, at) =>
      offers
        .filter(({ target }) => speaks(target))
        .map((offer) => ({
          source: offer.source,
          target: offer.target,
          door: doors[at] as TranslationDoor,
          offer,
        })),
    );
  }

  #offersOf(door: TranslationDoor): Promise<readonly Offer[]> {
    const now = this.#deps.clock.now();
    const known = this.#tried.get(door);
    if (known && now - known.at < (this.#failed.has(door) ? AGAIN_MS : door.goodForMs)) return known.offers;
    const offers = door.offers(this.#stop.signal).then(
      (works) => {
        if (works.length > 0) this.#failed.delete(door);
        else this.#failed.set(door, now);
        return works;
      },
      (error: unknown) => {
        if (!this.#stop.signal.aborted) this.#deps.onError?.(door.name, error);
        this.#failed.set(door, now);
        return [];
      },
    );
    this.#tried.set(door, { at: now, offers });
    return offers;
  }
}

const listed = ([best, ...others]: readonly Way[]): ListedDirection => {
  const { source, target, door, offer } = best as Way;
  return {
    source,
    target,
    by: door.name,
    via: offer.via,
    keepsGlossary: door.keepsGlossary,
    shortens: door.shortens,
    others: others.map((other) => other.door.name),
  };
};

const byNames = (a: Direction, b: Direction): number =>
  a.source.localeCompare(b.source) || a.target.localeCompare(b.target);
