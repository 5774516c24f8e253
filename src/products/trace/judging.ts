import { EndedCallJobs, type EndedCallJobsOptions } from './ended-call-jobs.ts';
import { conversationInWorker } from './in-worker.ts';
import type { Interactions } from './interactions.ts';
import type { Packs } from './packs/store.ts';
import type { TraceSettingsStore } from './settings.ts';

interface JudgingOptions extends Omit<EndedCallJobsOptions, 'name' | 'work'> {
  readonly settings: TraceSettingsStore;
  readonly packs: Packs;
  readonly interactions: Interactions;
}

/**
 * Judges every ended conversation whose agent's configuration asks for it. The verdict, the do-not-call list, the
 * event and the end of the job are one transaction.
 */
export const judging = ({ settings, packs, interactions, ...rest }: JudgingOptions): EndedCallJobs =>
  new EndedCallJobs({
    ...rest,
    name: 'trace',
    async work(scope, read) {
      const raw = await read();
      const wanted = raw && (await settings.ofConversation(scope, raw));
      if (raw === null || wanted?.enabled !== true) return null;
      const applied = await packs.chosen(scope, wanted.rule_packs);
      const judgment = await interactions.judge(scope, await conversationInWorker(raw, scope.org), applied);
      return async (trx) => void (await interactions.keep(trx, judgment, wanted.webhook_url));
    },
  });
