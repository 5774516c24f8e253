import { join } from 'node:path';
import { reachOfRow, Sealer } from '../../src/access/index.ts';
import { ComplianceRoom, loopbackNetwork } from '../../src/compliance/index.ts';
import { JobQueue } from '../../src/jobs/index.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { openBlobs, type Storage } from '../../src/storage/index.ts';

/** A node's time runs this much faster than the test's: waits pass. */
const SPEED = 20;

export const REACH = reachOfRow({ org_id: 'org_a', project_id: 'proj_a', environment: 'live' });
export const DOER = { kind: 'key', id: 'key_a', from: null, requestId: null } as const;

export interface NodeSetting {
  readonly folder: string;
  readonly id: string;
  /** How far its clock is ahead when it starts: leases of a node that is gone are over. */
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

export async function openNode(storage: Storage, folder: string, aheadMs: number) {
  const clock = fastClock(aheadMs);
  const blobs = await openBlobs({ folder: join(folder, 'blobs') });
  const room = new ComplianceRoom({
    storage,
    blobs,
    clock,
    queue: new JobQueue(storage, clock),
    sealer: new Sealer(Buffer.from('a secret of this test'), 'compliance'),
    scanner: {
      async scan(bytes) {
        for await (const _part of bytes);
        return { kind: 'clean' };
      },
    },
    pictures: null,
    network: loopbackNetwork,
    documentDays: async () => null,
  });
  return { room, blobs };
}

/** Has a case read, submits it, and follows it until it is approved. */
export async function workUntilApproved(storage: Storage, setting: NodeSetting): Promise<void> {
  const { room, blobs } = await openNode(storage, setting.folder, setting.aheadMs);
  room.start();
  for (;;) {
    const { dossier } = await room.desk.look(REACH, setting.id);
    const { state, network_status } = dossier.row;
    if (network_status === 'approved') break;
    if (state === 'ready_for_submission' && network_status === 'draft')
      await room.submissions.submit(REACH, setting.id, null, DOER, async () => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await room.stop(0);
  await blobs.close();
}
