import type { Environment, TenantScope } from '../access/contract.ts';
import type { BackgroundTasks, RepeatingTask } from '../platform/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import type { Storage } from '../storage/index.ts';
import type { LiveEvent } from './contract.ts';

const EVENTS_TOPIC = 'live-events';
const WATCHED_TOPIC = 'live-watched';
/** A watching node announces its scopes at this interval, and an announcement expires after this time. */
const ANNOUNCE_EVERY_MS = 5_000;
const ANNOUNCEMENT_TTL_MS = 15_000;
const MAX_FEED_MESSAGE_BYTES = 6_000;

type FeedSubscriber = (event: LiveEvent) => void;

interface FeedMessage {
  readonly place: string;
  readonly event: LiveEvent;
}

export interface LiveFeedOptions {
  readonly storage: Pick<Storage, 'notify' | 'listen'>;
  readonly clock: Clock;
  readonly background: BackgroundTasks;
  readonly onError: (error: unknown) => void;
}

const placeOf = ({ org, project, environment }: { org: string; project: string; environment: Environment }) =>
  `${org}\n${project}\n${environment}`;

/**
 * Publishes live events to subscribers on every node. It stores nothing: a subscriber gets no earlier events. A node
 * publishes only for the scopes that some node watches, so unwatched events cost nothing.
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #here = new Map<string, Set<FeedSubscriber>>();
  readonly #watched = new Map<string, number>();
  readonly #subscriberListeners = new Set<(place: TenantScope) => void>();
  readonly #stop: (() => void)[];
  readonly #updates: RepeatingTask;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    const { storage, background } = options;
    this.#stop = [
      storage.listen(EVENTS_TOPIC, {
        onMessage: (payload) => this.#deliver(JSON.parse(payload) as FeedMessage),
      }),
      storage.listen(WATCHED_TOPIC, {
        onMessage: (payload) => this.#heard(JSON.parse(payload) as { scope: TenantScope; begins: boolean }),
        // The node may have missed events during the gap, so it asks for the running calls again.
        onGap: () => this.#notifyAll(true),
      }),
    ];
    this.#updates = background.repeat('watched scopes', async () => this.#notifyAll(false), {
      everyMs: ANNOUNCE_EVERY_MS,
    });
  }

  /** The listener gets the events of running calls at once. Returns the function that unsubscribes. */
  subscribe(scope: TenantScope, listener: FeedSubscriber): () => void {
    const place = placeOf(scope);
    const listeners = this.#here.get(place) ?? new Set();
    this.#here.set(place, listeners);
    listeners.add(listener);
    this.#notify(scope, true);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#here.delete(place);
    };
  }

  onSubscriber(notify: (scope: TenantScope) => void): void {
    this.#subscriberListeners.add(notify);
  }

  hasSubscribers(scope: TenantScope): boolean {
    return (this.#watched.get(placeOf(scope)) ?? 0) > this.#options.clock.monotonic();
  }

  publish(scope: TenantScope, type: string, data: LiveEvent['data']): void {
    if (!this.hasSubscribers(scope)) return;
    const payload = this.#payload(scope, type, data);
    this.#options.storage.notify(EVENTS_TOPIC, payload).catch(this.#options.onError);
  }

  /**
   * Publishes with the transaction: subscribers get the event once it is committed, and never if it is rolled
   * back.
   */
  async publishIn(
    trx: Parameters<Storage['notify']>[2],
    scope: TenantScope,
    type: string,
    data: LiveEvent['data'],
  ): Promise<void> {
    if (this.hasSubscribers(scope))
      await this.#options.storage.notify(EVENTS_TOPIC, this.#payload(scope, type, data), trx);
  }

  stop(): void {
    void this.#updates.stop();
    for (const stop of this.#stop.splice(0)) stop();
    this.#here.clear();
  }

  #payload(scope: TenantScope, type: string, data: LiveEvent['data']): string {
    const at = this.#options.clock.now();
    const payload = (shown: LiveEvent['data']) =>
      JSON.stringify({ place: placeOf(scope), event: { type, at, data: shown } } satisfies FeedMessage);
    const whole = payload(data);
    // An event that exceeds the limit is published with its ids alone; a subscriber reads the rest by them.
    return Buffer.byteLength(whole) <= MAX_FEED_MESSAGE_BYTES ? whole : payload(namesOf(data));
  }

  #deliver({ place, event }: FeedMessage): void {
    for (const listener of this.#here.get(place) ?? []) listener(event);
  }

  #heard({ scope, begins }: { scope: TenantScope; begins: boolean }): void {
    const now = this.#options.clock.monotonic();
    for (const [place, until] of this.#watched) if (until <= now) this.#watched.delete(place);
    this.#watched.set(placeOf(scope), now + ANNOUNCEMENT_TTL_MS);
    if (begins) for (const notify of this.#subscriberListeners) notify(scope);
  }

  #notify(scope: TenantScope, begins: boolean): void {
    const payload = JSON.stringify({ scope, begins });
    this.#options.storage.notify(WATCHED_TOPIC, payload).catch(this.#options.onError);
  }

  #notifyAll(begins: boolean): void {
    for (const place of this.#here.keys()) {
      const [org, project, environment] = place.split('\n');
      this.#notify({ org, project, environment } as unknown as TenantScope, begins);
    }
  }
}

const namesOf = (data: LiveEvent['data']): LiveEvent['data'] =>
  Object.fromEntries(
    Object.entries(data).filter(([name, value]) => /(^|_)id$/.test(name) && typeof value === 'string'),
  );
