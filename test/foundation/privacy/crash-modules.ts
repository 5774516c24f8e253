import { callPersonalData } from '../../../src/conversation/calls/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { Erasures, LegalHolds } from '../../../src/foundation/privacy/index.ts';
import { type Blobs, openBlobs, type Storage } from '../../../src/foundation/storage/index.ts';
import { Webhooks } from '../../../src/foundation/webhooks/index.ts';
import { tracePersonalData } from '../../../src/products/trace/index.ts';
import { scopeFor } from '../access/tenant-scopes.ts';
import { ManualClock } from '../platform/manual-clock.ts';
import { WEBHOOK_SEALER } from '../webhooks/sealer.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);
export const HERE = scopeFor('org_a');
export const PERSON = 'ana';

export async function erasuresOn(storage: Storage, folder: string): Promise<Erasures> {
  const clock = new ManualClock(NOW);
  const blobs: Blobs = await openBlobs({ folder });
  const stores = [callPersonalData(storage, blobs), tracePersonalData(storage)];
  const webhooks = new Webhooks({
    sealer: WEBHOOK_SEALER,
    storage,
    queue: new JobQueue(storage, clock),
    gate: new UrlGate({ allowLoopback: false }),
    clock,
    background: new BackgroundTasks({ clock }),
  });
  return new Erasures({
    storage,
    blobs,
    clock,
    holds: new LegalHolds(storage, clock, stores),
    stores,
    cleanups: [webhooks.forget.bind(webhooks)],
  });
}
