/** The limits of an organization hold however many calls are claimed concurrently, on however many nodes. */

import { expect, it } from 'vitest';
import { tenantScopeOfRow } from '../../../src/foundation/access/index.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { openStorage, type Storage } from '../../../src/foundation/storage/index.ts';
import { CallCosts, DialLimiter, TelephonyCallStore } from '../../../src/telephony/dialling/index.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const AT_ONCE = 6;
const CALLS = 24;
const scope = tenantScopeOfRow({ org_id: 'org_1', project_id: 'proj_1', environment: 'live' });

onBothDatabases('the limit of calls at once', ({ dialect, open, empty, after }) => {
  function node(storage: Storage) {
    const billing = createBilling({
      storage,
      clock: systemClock,
      background: new BackgroundTasks({ clock: systemClock }),
    });
    const limits = { countries: ['US'], callsAMinute: 1_000, concurrent: AT_ONCE, minutesADay: null };
    const limiter = new DialLimiter(storage, systemClock, limits, new CallCosts(storage, billing.costs));
    const webhooks = { publish: async () => null };
    const records = new TelephonyCallStore({ storage, clock: systemClock, billing, webhooks });
    const claim = (id: string) =>
      storage.transaction(
        async (trx) => {
          await limiter.checkInClaim(trx, scope);
          return await records.claim(trx, scope, id);
        },
        { isolation: 'read committed' },
      );
    return { storage, records, claim };
  }

  async function nodes() {
    if (dialect === 'sqlite') return [node(await open())];
    const { options } = await empty();
    const both = [await openStorage(options), await openStorage(options)];
    for (const storage of both) after(() => storage.close());
    return both.map(node);
  }

  it('lets so many through as there may be, of all that are claimed together', async () => {
    const all = await nodes();
    const ids = Array.from({ length: CALLS }, (_, n) => `tcl_${String(n).padStart(20, '0')}`);
    await all[0]!.storage.transaction(async (trx) => {
      for (const id of ids)
        await all[0]!.records.create(trx, scope, {
          id,
          key_id: null,
          carrier: 'loopback',
          direction: 'outbound',
          from_number: '+14155550100',
          to_number: '+15005550001',
          number_id: null,
          agent_id: null,
          campaign_id: null,
          state: 'queued',
          request: '{}',
          scheduled_at: null,
        });
    });
    const claims = await Promise.allSettled(ids.map((id, n) => all[n % all.length]!.claim(id)));
    const claimed = claims.filter((claim) => claim.status === 'fulfilled');
    const refused = claims.flatMap((claim) => (claim.status === 'rejected' ? [claim.reason.code] : []));
    expect(claimed).toHaveLength(AT_ONCE);
    expect(new Set(refused)).toEqual(new Set(['concurrency_limit_exceeded']));
  });
});
