import type { Clock } from '../../foundation/platform/clock.ts';
import { type ProviderUse, ProviderUses } from '../../speech/providers/index.ts';
import type { Brain, BrainDestination, BrainUse } from '../brains/index.ts';

const HOUR_MS = 3_600_000;

/** Counts what one call sends to language models on other servers. */
export class BrainUses {
  readonly #uses: ProviderUses;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#uses = new ProviderUses('brain', clock);
  }

  get all(): readonly ProviderUse[] {
    return this.#uses.all;
  }

  /** A request that carries the caller's audio is counted with the audio. */
  counting(brain: Brain): Brain {
    const sentTo = (destination: BrainDestination) => this.sentTo(destination);
    return { ...brain, respond: (request, signal) => brain.respond({ ...request, sentTo }, signal) };
  }

  sentTo(destination: BrainDestination, soundMs = 0): BrainUse {
    const use = this.#uses.of(destination);
    use.requests += 1;
    use.soundMs += soundMs;
    const costOf = (ms: number, microsPerHour = 0) => Math.round((ms * microsPerHour) / HOUR_MS);
    use.costMicros += costOf(soundMs, destination.microsPerHour);
    const { microsPerSpokenHour } = destination;
    let spokenMs = 0;
    return {
      received: (characters) => {
        use.characters += characters;
      },
      spoke: (ms) => {
        // Audio comes in many short pieces, and the cost of each would be rounded.
        const before = costOf(spokenMs, microsPerSpokenHour);
        spokenMs += ms;
        use.costMicros += costOf(spokenMs, microsPerSpokenHour) - before;
      },
      failed: () => this.#uses.failed(destination),
    };
  }
}
