import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Trx } from '../../../foundation/jobs/index.ts';
import { withinTenant } from '../../../foundation/storage/index.ts';
import type { Webhooks } from '../../../foundation/webhooks/index.ts';

export const PENDING_STATUSES = ['queued', 'fetching', 'processing'];

export async function countDocumentsByStatus(
  db: Parameters<typeof withinTenant>[0],
  scope: TenantScope,
  crawl: string,
): Promise<Record<string, number>> {
  const sums = await withinTenant(db, scope)
    .selectFrom('knowledge_documents')
    .select('status')
    .select((eb) => eb.fn.countAll<number>().as('documents'))
    .where('crawl_id', '=', crawl)
    .groupBy('status')
    .execute();
  return Object.fromEntries(sums.map((sum) => [sum.status, Number(sum.documents)]));
}

/**
 * Runs in the transaction in which a crawl or one of its documents changed. A crawl without pending documents becomes
 * indexed and is announced once.
 */
export async function completeCrawl(
  trx: Trx,
  scope: TenantScope,
  id: string,
  { webhooks, now }: { readonly webhooks: Pick<Webhooks, 'publish'>; readonly now: number },
): Promise<void> {
  // The update locks the row, so that of two documents that settle at once the second one sees both.
  const row = await withinTenant(trx, scope)
    .updateTable('knowledge_crawls')
    .set({ updated_at: now })
    .where('id', '=', id)
    .where('status', '=', 'fetching')
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return;
  const documents = await countDocumentsByStatus(trx, scope, id);
  if (PENDING_STATUSES.some((status) => documents[status])) return;
  await withinTenant(trx, scope)
    .updateTable('knowledge_crawls')
    .set({ status: 'indexed' })
    .where('id', '=', id)
    .execute();
  await webhooks.publish(trx, {
    scope,
    type: 'knowledge.crawl.indexed',
    resource: id,
    urls: [],
    data: {
      id,
      object: 'knowledgebase.crawl',
      knowledge_base_id: row.base_id,
      url: row.url,
      status: 'indexed',
      discovered: Number(row.discovered),
      registered: Number(row.registered),
      documents,
      created_at: Number(row.created_at),
    },
  });
}
