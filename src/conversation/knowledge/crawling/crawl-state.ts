import type { Reach } from '../../../foundation/access/contract.ts';
import { within } from '../../../foundation/storage/index.ts';
import type { KnowledgeCrawlRow } from '../../../foundation/storage/tables/knowledge.ts';
import type { CrawlState } from '../contract.ts';

type CrawlChange = Partial<Pick<KnowledgeCrawlRow, 'error' | 'discovered' | 'registered'>> & {
  readonly status: CrawlState;
};

export const setState = async (
  db: Parameters<typeof within>[0],
  reach: Reach,
  id: string,
  change: CrawlChange,
) => {
  await within(db, reach).updateTable('knowledge_crawls').set(change).where('id', '=', id).execute();
};
