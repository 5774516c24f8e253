import type { TenantScope } from '../../../foundation/access/contract.ts';
import { withinTenant } from '../../../foundation/storage/index.ts';
import type { KnowledgeCrawlRow } from '../../../foundation/storage/tables/knowledge.ts';
import type { CrawlState } from '../contract.ts';

type CrawlChange = Partial<Pick<KnowledgeCrawlRow, 'error' | 'discovered' | 'registered'>> & {
  readonly status: CrawlState;
};

export const setState = async (
  db: Parameters<typeof withinTenant>[0],
  scope: TenantScope,
  id: string,
  change: CrawlChange,
) => {
  await withinTenant(db, scope).updateTable('knowledge_crawls').set(change).where('id', '=', id).execute();
};
