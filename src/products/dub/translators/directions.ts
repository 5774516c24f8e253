import type { Clock } from '../../../foundation/platform/clock.ts';
import type { TranslationDirection, TranslationOffer, Translator, TranslatorName } from './contract.ts';

export interface TranslationRoute extends TranslationDirection {
  readonly translator: Translator;
  readonly offer: TranslationOffer;
}

export interface ListedDirection extends TranslationDirection {
  readonly by: TranslatorName;
  readonly via: string | null;
  readonly keepsGlossary: boolean;
  readonly shortens: boolean;
  /** The fallbacks, in order, where the first fails. */
  readonly others: readonly TranslatorName[];
}

interface CachedOffers {
  readonly at: number;
  readonly offers: Promise<readonly TranslationOffer[]>;
}

export interface TranslationDirectionsDeps {
  /** The translators in order of preference. */
  readonly translators: readonly Translator[];
  readonly clock: Clock;
  readonly speaks: (language: string) => boolean;
  readonly onError?: (translator: TranslatorName, error: unknown) => void;
}

/** A translator that failed is probed again after this time. */
const AGAIN_MS = 60_000;

/**
 * The translation directions that work on this server now: every translator is probed, and those that fail are not
 * listed.
 */
export class TranslationDirections {
  readonly #deps: TranslationDirectionsDeps;
  readonly #tried = new Map<Translator, CachedOffers>();
  readonly #failed = new Map<Translator, number>();
  readonly #stop = new AbortController();

  constructor(deps: TranslationDirectionsDeps) {
    this.#deps = deps;
  }

  stop(): void {
    this.#stop.abort(new Error('the server is shutting down'));
  }

  async list(): Promise<readonly ListedDirection[]> {
    const ways = await this.#ways();
    const first = new Map<string, TranslationRoute[]>();
    for (const way of ways) {
      const key = `${way.source}-${way.target}`;
      first.set(key, [...(first.get(key) ?? []), way]);
    }
    return [...first.values()].map(listed).sort(byNames);
  }

  /** Returns the routes in order of preference; none where the direction is not served. */
  async routesOf({ source, target }: TranslationDirection): Promise<readonly TranslationRoute[]> {
    return (await this.#ways()).filter((way) => way.source === source && way.target === target);
  }

  /** The translator failed during a job, so it is asked last until it passes a probe. */
  doubt(translator: Translator, error: unknown): void {
    this.#deps.onError?.(translator.name, error);
    this.#failed.set(translator, this.#deps.clock.now());
    this.#tried.delete(translator);
  }

  async #ways(): Promise<readonly TranslationRoute[]> {
    const { translators, speaks } = this.#deps;
    const found = await Promise.all(translators.map((translator) => this.#offersOf(translator)));
    return found.flatMap((offers, at) =>
      offers
        .filter(({ target }) => speaks(target))
        .map((offer) => ({
          source: offer.source,
          target: offer.target,
          translator: translators[at] as Translator,
          offer,
        })),
    );
  }

  #offersOf(translator: Translator): Promise<readonly TranslationOffer[]> {
    const now = this.#deps.clock.now();
    const known = this.#tried.get(translator);
    if (known && now - known.at < (this.#failed.has(translator) ? AGAIN_MS : translator.goodForMs))
      return known.offers;
    const offers = translator.offers(this.#stop.signal).then(
      (works) => {
        if (works.length > 0) this.#failed.delete(translator);
        else this.#failed.set(translator, now);
        return works;
      },
      (error: unknown) => {
        if (!this.#stop.signal.aborted) this.#deps.onError?.(translator.name, error);
        this.#failed.set(translator, now);
        return [];
      },
    );
    this.#tried.set(translator, { at: now, offers });
    return offers;
  }
}

const listed = ([best, ...others]: readonly TranslationRoute[]): ListedDirection => {
  const { source, target, translator, offer } = best as TranslationRoute;
  return {
    source,
    target,
    by: translator.name,
    via: offer.via,
    keepsGlossary: translator.keepsGlossary,
    shortens: translator.shortens,
    others: others.map((other) => other.translator.name),
  };
};

const byNames = (a: TranslationDirection, b: TranslationDirection): number =>
  a.source.localeCompare(b.source) || a.target.localeCompare(b.target);
