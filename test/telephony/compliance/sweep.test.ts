// @requirement Compliance cases: Retention deletes documents, except under legal hold or review.
import { expect, it } from 'vitest';
import { Sealer } from '../../../src/foundation/access/index.ts';
import { JobQueue } from '../../../src/foundation/jobs/index.ts';
import { CaseService } from '../../../src/telephony/compliance/evidence/case-service.ts';
import { DocumentSweep } from '../../../src/telephony/compliance/retention.ts';
import { bill } from '../../edge/surfaces/compliance/sample-documents.ts';
import { type Json, openTestbed } from '../../edge/surfaces/compliance/server.ts';
import { crashing } from '../../foundation/billing/crash-work.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { outboxOn } from '../../foundation/webhooks/checked.ts';

const RETENTION_MS = 91 * 24 * 3600 * 1000;

it.each(['before', 'after'] as const)(
  'a sweep that is cut off %s its commit is done to the end by the next, and told once',
  async (phase) => {
    const clock = new ManualClock(Date.now());
    const caseService = await openTestbed({ clock });
    const { id } = await caseService.open();
    await caseService.upload(id, 'telephone_bill', bill());
    await caseService.settled(id);
    await caseService.send('POST', `/${id}/cancel`, {});
    clock.advance(RETENTION_MS);
    const storage = crashing(caseService.storage, { at: 0, phase }, () => {
      throw new Error('cut off');
    });
    const queue = new JobQueue(storage, clock);
    const sealer = new Sealer(Buffer.from('a secret of this test'), 'compliance');
    const webhooks = outboxOn(caseService.storage, clock);
    const shared = { storage, blobs: caseService.blobs, clock, queue, sealer, webhooks };
    const cutOff = new DocumentSweep({ ...shared, caseService: new CaseService(shared) });
    await expect(cutOff.sweep()).rejects.toThrow('cut off');
    expect(await caseService.blobs.list('compliance', id)).toEqual([]);
    await caseService.service.documents.sweep();
    const swept = await caseService.read(id);
    expect(swept.timeline.filter(({ type }: Json) => type === 'documents.deleted')).toHaveLength(1);
    expect(swept).toMatchObject({
      uploads: [{ file_name: 'removed', removed_at: clock.now() }],
      extractions: [{ fields: [] }],
    });
  },
);
