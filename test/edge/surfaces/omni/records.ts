import { type CallEnd, CallStore } from '../../../../src/conversation/calls/call-store.ts';
import { TranscriptLinks } from '../../../../src/conversation/calls/index.ts';
import { callRoutes } from '../../../../src/edge/surfaces/omni/call-routes.ts';
import { createBilling } from '../../../../src/foundation/billing/index.ts';
import { BackgroundTasks } from '../../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { newId } from '../../../../src/foundation/platform/ids.ts';
import { openStorage, type Storage } from '../../../../src/foundation/storage/index.ts';
import { afterEach } from '../../../helper-hooks.ts';
import { blobsIn, recordingsIn } from '../../../media/recordings/opened.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';

export const ENDED: CallEnd = {
  status: 'completed',
  endReason: 'client_ended',
  language: 'en',
  voiceId: 'af_heart',
  voiceTier: 'natural',
  durationMs: 61_250,
  billedMs: 61_250,
  transcript: [{ role: 'user', turn_id: 1, text: 'Hi', start_ms: 0, end_ms: 400, interrupted: false }],
  turns: {
    turns: [600, 700, 900].map((total, turn_id) => ({
      turn_id,
      latency_ms: { endpoint: 300, asr: 0, brain: 100, tts: total - 400, total },
    })),
    degraded: [],
  },
};

const storages: Storage[] = [];
afterEach(async () => {
  for (const storage of storages.splice(0)) await storage.close();
});

export async function openRecords(access = new OneKeyAccess()) {
  const storage = await openStorage({ dataDir: ':memory:' });
  storages.push(storage);
  // Each record gets a millisecond of its own: records of the same millisecond have no order but their ids'.
  let time = Date.now();
  const clock = { ...systemClock, now: () => time++ };
  const ahead = { ms: 0 };
  const blobs = blobsIn(storage, clock);
  const calls = new CallStore({
    storage,
    blobs,
    billing: createBilling({ storage, clock, background: new BackgroundTasks({ clock }) }),
    clock,
    background: new BackgroundTasks({ clock }),
  });
  const recordings = recordingsIn(storage, clock);
  const transcriptLinks = new TranscriptLinks({
    clock: { ...systemClock, now: () => time + ahead.ms },
    secret: Buffer.alloc(32, 1),
    baseUrl: () => '',
  });
  const { url } = await start({
    access,
    surfaces: [
      { name: 'omni', routes: (app) => callRoutes(app, { calls, recordings, blobs, transcriptLinks }) },
    ],
  });
  const open = async (orgId = access.principal().orgId): Promise<string> => {
    const id = newId('ocl');
    await calls.open({
      id,
      principal: { ...access.principal(), orgId },
      sessionLabel: 'label',
      externalId: 'ext',
      language: 'en',
      voiceId: 'af_heart',
      voiceTier: 'natural',
      meta: null,
    });
    return id;
  };
  const write = async (orgId?: string, end = ENDED): Promise<string> => {
    const id = await open(orgId);
    await calls.close(id, end);
    return id;
  };
  return { url, calls, storage, blobs, clock, ahead, open, write };
}
