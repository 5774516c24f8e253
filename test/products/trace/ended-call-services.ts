import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import type { Clock } from '../../../src/foundation/platform/clock.ts';
import { UrlGate } from '../../../src/foundation/platform/url-gate/index.ts';
import { type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import {
  extract,
  RecapCalls,
  RecapSettingsStore,
  recording,
  Scorecards,
} from '../../../src/products/recap/index.ts';
import {
  Interactions,
  JudgementInputCollector,
  judging,
  Packs,
  TraceSettingsStore,
  VerdictSigner,
} from '../../../src/products/trace/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { CheckedWebhooks } from '../../foundation/webhooks/checked.ts';
import { blobsIn } from '../../media/recordings/opened.ts';

export const HERE = scopeFor('org_a');
const PLACE = { org_id: 'org_a', project_id: HERE.project, environment: HERE.environment };

const DESTINATION = 'dst_00000000000000000001';

export function followingOn(storage: Storage, clock: Clock) {
  const queue = new JobQueue(storage, clock);
  const blobs = blobsIn(storage, clock);
  const gate = new UrlGate({ allowLoopback: true, clock });
  const webhooks = new CheckedWebhooks({
    storage,
    queue,
    gate,
    clock,
    background: new BackgroundTasks({ clock }),
  });
  webhooks.setDestinations({
    targets: async () => [{ destination: DESTINATION, url: 'https://example.com/all' }],
    deliver: async () => ({ status: 200, error: null }),
  });
  const inputs = new JudgementInputCollector({ pronounce: null, embed: null, zonesOf: () => null });
  const packs = new Packs(storage, clock);
  const signer = new VerdictSigner(Buffer.alloc(32, 1));
  const interactions = new Interactions({ storage, clock, inputs, packs, webhooks, signer });
  const settings = new TraceSettingsStore(storage, clock);
  const trace = judging({ storage, blobs, queue, settings, packs, interactions });
  const recapSettings = new RecapSettingsStore(storage, clock);
  const scorecards = new Scorecards({ storage, clock, packs, interactions, judge: async () => new Map() });
  const calls = new RecapCalls({ storage, clock, notify: async (one) => extract(one), scorecards, webhooks });
  const recap = recording({ storage, blobs, queue, settings: recapSettings, calls });
  return { queue, settings, recapSettings, followings: [trace, recap] };
}

type Services = ReturnType<typeof followingOn>;

export async function configure({ settings, recapSettings }: Services): Promise<void> {
  const now = await settings.of(HERE, null);
  await settings.put(HERE, null, { ...now, enabled: true, webhook_url: 'https://example.com/trace' });
  await recapSettings.put(HERE, { config: { enabled: true, webhook_url: 'https://example.com/recap' } });
}

export async function callIn(storage: Storage, { followings }: Services, number: string): Promise<string> {
  const transcript = [
    { role: 'agent', turn_id: 0, text: 'Hello, this is Ava from Harbor.', start_ms: 0, end_ms: 2000 },
    { role: 'user', turn_id: 1, text: "Don't call me again.", start_ms: 2500, end_ms: 4000 },
  ];
  const row = {
    ...SEEDS.omni_calls('x', 1),
    external_id: number,
    transcript: JSON.stringify(transcript),
  };
  await withinTenant(storage.db, HERE).insertInto('omni_calls', row).execute();
  await storage.transaction(async (trx) => {
    for (const one of followings) await one.ended(trx, { kind: 'call', id: row.id, ...PLACE });
  });
  return row.id;
}

export async function done({ queue }: Services, { db }: Storage, id: string): Promise<void> {
  for (const name of ['trace', 'recap'])
    while ((await queue.view(db, `${name} ${id}`)) !== null)
      await new Promise((resolve) => setTimeout(resolve, 20));
}
