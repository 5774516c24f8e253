import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { createBilling } from '../../../src/foundation/billing/index.ts';
import type { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { openBlobs, type Storage } from '../../../src/foundation/storage/index.ts';
import { CallTokens, ImportedCalls, Importing, Receiver } from '../../../src/products/imports/index.ts';
import { TranscriptionJobs } from '../../../src/speech/transcription/transcription-jobs.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import type { ManualClock } from '../../foundation/platform/manual-clock.ts';

export async function openImports(storage: Storage, clock: ManualClock, queue: JobQueue, gate: UrlGate) {
  const access = new OneKeyAccess();
  const payer: { principal: Principal | null } = {
    principal: { ...access.principal(), entitlements: ['call_integrations'] },
  };
  const standings = { of: async () => payer.principal };
  const blobs = await openBlobs({ folder: mkdtempSync(join(tmpdir(), 'imports-')) });
  const billing = createBilling({ storage, clock, background: new BackgroundTasks({ clock }) });
  const jobs = new TranscriptionJobs({ storage, blobs, queue, clock, billing });
  const tokens = new CallTokens(storage, clock);
  const calls = new ImportedCalls(storage, clock);
  const receiver = new Receiver({ storage, queue, clock, tokens, calls, standings });
  const importing = new Importing({ storage, queue, access, jobs, gate, calls, standings });
  return { payer, jobs, tokens, calls, receiver, importing };
}
