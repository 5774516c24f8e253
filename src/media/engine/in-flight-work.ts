import type { CapacityShare } from './capacity-share.ts';

export class InFlightWork {
  #all = 0;
  #live = 0;
  readonly #waiting = new Set<() => void>();

  began(share: CapacityShare): void {
    this.#all += 1;
    if (share === 'live') this.#live += 1;
  }

  ended(share: CapacityShare): void {
    this.#all -= 1;
    if (share === 'trial') return;
    this.#live -= 1;
    if (this.#live > 0) return;
    for (const go of [...this.#waiting]) go();
  }

  get isBusy(): boolean {
    return this.#all > 0;
  }

  whenLiveIdle(until: AbortSignal): Promise<void> {
    if (this.#live === 0 || until.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        this.#waiting.delete(go);
        until.removeEventListener('abort', go);
        resolve();
      };
      this.#waiting.add(go);
      until.addEventListener('abort', go, { once: true });
    });
  }
}
