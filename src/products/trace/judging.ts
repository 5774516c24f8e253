import { conversationApart } from './apart.ts';
import { Following, type FollowingOptions } from './following.ts';
import type { Interactions } from './interactions.ts';
import type { Packs } from './packs/store.ts';
import type { SettingsStore } from './settings.ts';

interface JudgingOptions extends Omit<FollowingOptions, 'name' | 'work'> {
  readonly settings: SettingsStore;
  readonly packs: Packs;
  readonly interactions: Interactions;
}

/** Judges every conversation that has ended, where its agent's configuration says so. The verdict, the do-not-call list, the
 * event and the end of the job are one transaction. */
export const judging = ({ settings, packs, interactions, ...rest }: JudgingOptions): Following =>
  new Following({
    ...rest,
    name: 'trace',
    async work(reach, read) {
      const raw = await read();
      const wanted = raw && (await settings.of(reach, raw.agentId ?? null));
      if (raw === null || wanted?.enabled !== true) return null;
      const applied = await packs.chosen(reach, wanted.rule_packs);
      const judgment = await interactions.judge(reach, await conversationApart(raw, reach.org), applied);
      return async (trx) => void (await interactions.keep(trx, judgment, wanted.webhook_url));
    },
  });
