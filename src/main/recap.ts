import type { Brain } from '../conversation/brains/index.ts';
import { createRecapSurface } from '../edge/surfaces/recap/index.ts';
import type { RetentionDays } from '../foundation/access/index.ts';
import type { JobQueue } from '../foundation/jobs/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import type { Webhooks } from '../foundation/webhooks/index.ts';
import {
  type CriterionJudge,
  extractApart,
  judgeByModel,
  RecapCalls,
  RecapSettingsStore,
  recapPersonalData,
  recapSweep,
  recording,
  Scorecards,
  summarizeByModel,
  type Teller,
} from '../products/recap/index.ts';
import type { Interactions, Packs } from '../products/trace/index.ts';
import type { CoreServices } from './main.ts';

export interface RecapNeeds {
  readonly queue: JobQueue;
  readonly webhooks: Webhooks;
  readonly urls: UrlGate;
  readonly packs: Packs;
  readonly interactions: Interactions;
  readonly retention: (orgId: string) => Promise<RetentionDays>;
  readonly model: Brain | null;
}

/** Without a language model, and where it fails, Recap extracts the calls' own sentences. */
export function recapParts(
  { sharedClock: clock, background, storage, blobs, log }: CoreServices,
  needs: RecapNeeds,
) {
  const { queue, webhooks, urls, packs, interactions, retention, model } = needs;
  const notify: Teller = async (conversation, fields, tenant) => {
    const notify =
      model === null
        ? null
        : await summarizeByModel(model, conversation, fields).catch((err: unknown) => {
            log.warn({ err }, 'the language model returned no Recap for a call');
            return null;
          });
    return notify ?? (await extractApart(conversation, tenant));
  };
  const judge: CriterionJudge = async (conversation, criteria) =>
    model === null
      ? new Map()
      : await judgeByModel(model, conversation, criteria).catch((err: unknown) => {
          log.warn({ err }, 'the language model returned no scores for a call');
          return new Map();
        });
  const settings = new RecapSettingsStore(storage, clock);
  const scorecards = new Scorecards({ storage, clock, packs, interactions, judge });
  const calls = new RecapCalls({ storage, clock, notify, scorecards, webhooks });
  const onError = (err: unknown) => log.error({ err }, 'the Recap of a call could not be created');
  const following = recording({ storage, blobs, queue, settings, calls, onError });
  const sweep = recapSweep({ storage, clock, background, retention });
  const surface = createRecapSurface({
    settings,
    calls,
    urls,
    scorecards,
    start: async () => {
      following.start();
      sweep.start();
    },
    stop: async (deadlineMs) => {
      sweep.stop();
      await following.stop(deadlineMs);
    },
  });
  return { surface, following, personalData: recapPersonalData(storage) };
}
