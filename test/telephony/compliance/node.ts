import { join } from 'node:path';
import { Sealer } from '../../../src/foundation/access/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { type Clock, systemClock } from '../../../src/foundation/platform/clock.ts';
import { openBlobs, type Storage } from '../../../src/foundation/storage/index.ts';
import { ComplianceService, loopbackNetwork, viewOf } from '../../../src/telephony/compliance/index.ts';
import { outboxOn } from '../../foundation/webhooks/checked.ts';
import { SCOPE, STORIES, type Story, type StoryName } from './stories.ts';

/** A node's clock runs this much faster than the test's, so that delays pass. */
const SPEED = 20;

export interface NodeSetting {
  readonly folder: string;
  readonly id: string;
  readonly story: StoryName;
  /** Milliseconds by which its clock is ahead when it starts: the leases of a killed node have expired. */
  readonly aheadMs: number;
}

function fastClock(aheadMs: number): Clock {
  const began = Date.now();
  return {
    now: () => began + aheadMs + (Date.now() - began) * SPEED,
    monotonic: () => performance.now() * SPEED,
    after: (ms, task) => systemClock.after(ms / SPEED, task),
  };
}

export async function openNode(
  storage: Storage,
  folder: string,
  aheadMs: number,
  { isInfected, pictures }: Story,
) {
  const clock = fastClock(aheadMs);
  const blobs = await openBlobs({ folder: join(folder, 'blobs') });
  const service = new ComplianceService({
    storage,
    blobs,
    clock,
    background: new BackgroundTasks({ clock }),
    queue: new JobQueue(storage, clock),
    webhooks: outboxOn(storage, clock),
    sealer: new Sealer(Buffer.from('a secret of this test'), 'compliance'),
    scanner: {
      async scan(bytes) {
        for await (const _part of bytes);
        return isInfected ? { kind: 'infected', name: 'Trial' } : { kind: 'clean' };
      },
    },
    pictures: pictures ?? null,
    network: loopbackNetwork,
    documentDays: async () => null,
  });
  return { service, blobs };
}

export async function workUntilOver(storage: Storage, setting: NodeSetting): Promise<void> {
  const story: Story = STORIES[setting.story];
  const { service, blobs } = await openNode(storage, setting.folder, setting.aheadMs, story);
  service.start();
  // Documents expire after weeks, which this story leaves out.
  const waiting = () =>
    storage.db.selectFrom('jobs').select('id').where('queue', '!=', 'compliance.age').execute();
  while (
    !(await story.step(service, viewOf(await service.caseService.look(SCOPE, setting.id)))) ||
    (await waiting()).length > 0
  )
    await new Promise((resolve) => setTimeout(resolve, 5));
  await service.stop(0);
  await blobs.close();
}
