import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { JobQueue } from '../../../src/jobs/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { openBlobs, type Storage } from '../../../src/storage/index.ts';
import { TranscriptionJobs } from '../../../src/surfaces/jobs/service.ts';
import { Receiver } from '../../webhooks/receiver.ts';
import { LINE_SECONDS, wavOf } from './signal-audio.ts';
import { JobsAccess } from './stage.ts';

/** What nodes share that may be killed, and what must hold of it when they are through. */
export async function fleet(storage: Storage, after: (step: () => unknown) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-fleet-'));
  const blobs = await openBlobs({ folder: join(folder, 'blobs') });
  const clock = systemClock;
  const jobs = new TranscriptionJobs({ storage, blobs, queue: new JobQueue(storage, clock), clock });
  const receiver = new Receiver();
  const hook = await receiver.open();
  after(() => rm(folder, { recursive: true, force: true }));
  after(() => receiver.close());
  const principal = new JobsAccess().principal();
  const accepted = new Map<string, { seconds: number; lines: number }>();

  /** Accepts a job, as the route does. */
  async function accept(lines: number): Promise<string> {
    const id = jobs.newId();
    await blobs.put({ area: 'jobs', owner: id, name: 'audio' }, [wavOf(lines)] as never);
    const request = {
      outputFormats: ['json'],
      vocabulary: [],
      summaryLanguage: null,
      entities: null,
      diarize: false,
      channel: false,
      numerals: 'digits',
    } as const;
    await jobs.submit({ id, principal, request, audioUrl: null, webhookUrl: hook, idempotency: null });
    accepted.set(id, { seconds: lines * LINE_SECONDS, lines });
    return id;
  }

  /** Every accepted job has ended in one way, was billed once, and was told of under one id. */
  async function check(): Promise<void> {
    const rows = await storage.db
      .selectFrom('transcription_jobs')
      .select(['id', 'status', 'error'])
      .execute();
    expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
    expect(rows.length).toBe(accepted.size);
    const usage = await storage.db.selectFrom('usage_events').select(['resource', 'milliseconds']).execute();
    expect(usage.length).toBe(accepted.size);
    const events = new Map<string, Set<string>>();
    for (const { body } of receiver.received) {
      const { id, data } = JSON.parse(body) as { id: string; data: { id: string } };
      events.set(data.id, (events.get(data.id) ?? new Set()).add(id));
    }
    for (const [id, { seconds, lines }] of accepted) {
      expect(usage.find(({ resource }) => resource === id)?.milliseconds).toBe(seconds * 1000);
      expect(events.get(id)?.size, `events of ${id}`).toBe(1);
      const { text } = await jobs.get(principal.orgId, id);
      expect(text).toBe(Array.from({ length: lines }, (_, line) => `line ${line}`).join(' '));
    }
    expect(await storage.db.selectFrom('transcription_segments').select('job_id').execute()).toEqual([]);
    expect(await storage.db.selectFrom('jobs').select('id').execute()).toEqual([]);
  }

  return { folder, accept, check, receiver };
}
