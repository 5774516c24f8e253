import { expect, it } from 'vitest';
import { publishCallEnded } from '../../../src/conversation/calls/index.ts';
import { withinTenant } from '../../../src/foundation/storage/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';
import { outboxOn } from '../../foundation/webhooks/checked.ts';

const HERE = scopeFor('org_a');

onBothDatabases('a call that is over', (databases) => {
  it.each([
    ['completed', 'client_ended', 3],
    ['failed', 'engine_failed', null],
  ])('is told of by its names, where it %s', async (status, reason, version) => {
    const storage = await databases.open();
    const webhooks = outboxOn(storage, new ManualClock(50_000));
    const call = {
      ...SEEDS.omni_calls('label', 1),
      external_id: 'ana',
      agent_id: version === null ? null : 'agt_00000000000000000001',
      agent_version: version,
      status,
      end_reason: reason,
      duration_ms: 1_234,
    };
    await withinTenant(storage.db, HERE)
      .insertInto('omni_calls', call as never)
      .execute();
    const row = {
      id: call.id,
      org_id: HERE.org,
      project_id: HERE.project,
      environment: HERE.environment,
    };
    await storage.transaction((trx) => publishCallEnded(webhooks, trx, row, 50_000));
    expect(webhooks.reported).toMatchObject([
      {
        type: 'omni.call.ended',
        scope: HERE,
        resource: call.id,
        data: {
          call_id: call.id,
          external_id: 'ana',
          status,
          end_reason: reason,
          agent_version: version,
          duration_s: 1.234,
          ended_at: 50_000,
        },
      },
    ]);
  });
});
