import type { Brain } from '../brain/index.ts';
import type { JobQueue } from '../jobs/index.ts';
import type { Rooms } from '../main.ts';
import type { UrlGate } from '../platform/url-gate/index.ts';
import {
  extract,
  RecapCalls,
  RecapFollowing,
  RecapSettingsStore,
  recapsOfPersons,
  Scorecards,
  type Teller,
  tellByModel,
} from '../recap/index.ts';
import { createRecapSurface } from '../surfaces/recap/index.ts';
import type { Interactions, Packs } from '../trace/index.ts';
import type { Webhooks } from '../webhooks/index.ts';

export interface RecapNeeds {
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly urls: UrlGate;
  readonly packs: Packs;
  readonly interactions: Interactions;
  /** Language models alone; null: none is configured. */
  readonly model: Brain | null;
}

/** The rooms of Recap. Without a language model, and where it fails, records are made of the calls' own sentences. */
export function recapParts({ sharedClock: clock, storage, log }: Rooms, needs: RecapNeeds) {
  const { queue, webhooks, urls, packs, interactions, model } = needs;
  const tell: Teller = async (conversation, fields) => {
    const told =
      model === null
        ? null
        : await tellByModel(model, conversation, fields).catch((err: unknown) => {
            log.warn({ err }, 'the model gave no record of a call');
            return null;
          });
    return told ?? extract(conversation);
  };
  const settings = new RecapSettingsStore(storage, clock);
  const scorecards = new Scorecards(storage, clock, packs, interactions);
  const calls = new RecapCalls({ storage, clock, tell, scorecards, webhooks });
  const onError = (err: unknown) => log.error({ err }, 'the record of a call could not be made');
  const following = new RecapFollowing({ storage, queue, settings, calls, onError });
  const surface = createRecapSurface({
    settings,
    calls,
    urls,
    scorecards,
    start: async () => following.start(),
    stop: (deadlineMs) => following.stop(deadlineMs),
  });
  return { surface, following, holding: recapsOfPersons(storage) };
}
