import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../../src/foundation/access/contract.ts';
import { tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { ApiError } from '../../../src/foundation/platform/errors.ts';
import {
  acrossTenants,
  type Blobs,
  openBlobs,
  openStorage,
  type Storage,
} from '../../../src/foundation/storage/index.ts';
import type { TelephonyCallRow } from '../../../src/foundation/storage/tables/telephony.ts';
import { silence, tone } from '../../../src/telephony/carriers/index.ts';
import {
  VoicemailIntake,
  Voicemails,
  type VoicemailTranscriber,
  voicemailSweep,
} from '../../../src/telephony/dialling/index.ts';
import { VoicemailMediaHandler } from '../../../src/telephony/dialling/voicemail-media-handler.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { until } from '../../poll.ts';

describe('a message', () => {
  const hear = (...sounds: readonly Uint8Array[]) => {
    const clock = new ManualClock();
    const reported: (number | null | 'spoke')[] = [];
    const part = new VoicemailMediaHandler({
      clock,
      maxMs: 10_000,
      silenceMs: 3_000,
      spoke: () => reported.push('spoke'),
      done: (message) => reported.push(message === null ? null : message.length / 8),
    });
    part.enter(undefined as never);
    for (const sound of sounds) {
      for (let at = 0; at < sound.length; at += 240) {
        part.audio(sound.subarray(at, at + 240));
        clock.advance(30);
      }
    }
    return { part, reported, clock };
  };

  it('is what was said, with half a second behind it', () => {
    const { reported } = hear(silence(600), tone([500], 1_200), silence(4_000));
    expect(reported).toEqual(['spoke', 2_300]);
  });

  it('is none where nobody spoke: a click, hum or nothing at all', () => {
    expect(hear(silence(400), tone([800], 200), silence(4_000)).reported).toEqual([null]);
    const hum = Uint8Array.from(
      tone([50], 4_500),
      (byte) => (byte & 0x80) | Math.min(0x7f, (byte & 0x7f) + 0x40),
    );
    expect(hear(hum).reported).toEqual([null]);
    const { reported, clock } = hear();
    clock.advance(3_500);
    expect(reported).toEqual([null]);
  });

  it('ends once: at its greatest length, at the key #, or when the line is gone', () => {
    expect(hear(silence(200), tone([500], 12_000)).reported).toEqual(['spoke', 10_000]);
    const keyed = hear(silence(200), tone([500], 1_000));
    keyed.part.key('5');
    keyed.part.key('#');
    keyed.part.leave();
    keyed.part.audio(tone([500], 1_000));
    expect(keyed.reported).toEqual(['spoke', 1_200]);
    const gone = hear(silence(200), tone([500], 1_000));
    gone.part.leave();
    expect(gone.reported).toEqual(['spoke', 1_200]);
  });
});

const PRINCIPAL = {
  orgId: 'org_1',
  projectId: 'proj_1',
  environment: 'live',
  keyId: null,
} as unknown as Principal;
const SCOPE = tenantScopeOf(PRINCIPAL);
const CALL = {
  id: 'tcl_1',
  number_id: 'num_1',
  from_number: '+15005550001',
  to_number: '+14155550100',
  request: '{"webhook_url": "https://example.com/hook"}',
} as TelephonyCallRow;
const SPOKEN = { ...CALL, id: `tcl_${'1'.repeat(20)}` };
const SILENT = { ...CALL, id: `tcl_${'2'.repeat(20)}` };
const DAY_MS = 24 * 3600 * 1000;

async function insertCalls(storage: Storage, state: TelephonyCallRow['state']): Promise<void> {
  const db = acrossTenants(storage.db);
  await db.deleteFrom('telephony_calls').execute();
  for (const { id, number_id, from_number, to_number, request } of [SPOKEN, SILENT]) {
    const parties = { number_id, from_number, to_number, agent_id: null, campaign_id: null, carrier: 'sip' };
    const times = { seen_at: 0, created_at: 0, scheduled_at: null, dialed_at: null, answered_at: 0 };
    const end = { end_reason: null, end_detail: null, ended_at: null, duration_ms: 0, billed_minutes: 0 };
    const others = { answered_by: null, omni_call_id: null, reference: null, quality: '{}', key_id: 'key_1' };
    const place = { org_id: 'org_1', project_id: 'proj_1', environment: 'live' as const };
    await db
      .insertInto('telephony_calls')
      .values({ id, state, direction: 'inbound', request, ...place, ...parties, ...times, ...end, ...others })
      .execute();
  }
}

const written = (folder: string, id: string, bytes: number): Promise<void> =>
  until(async () => statSync(join(folder, `${id}.ulaw`), { throwIfNoEntry: false })?.size === bytes);

describe('messages that are kept', () => {
  let clock: ManualClock;
  let storage: Storage;
  let blobs: Blobs;
  let events: { readonly data: unknown; readonly urls: readonly string[] }[];
  let forgotten: string[];
  let folder: string;
  beforeEach(async () => {
    clock = new ManualClock();
    const dataDir = mkdtempSync(join(tmpdir(), 'voicemails-'));
    storage = await openStorage({ dataDir, clock });
    blobs = await openBlobs({ folder: join(dataDir, 'blobs') } as never);
    folder = join(dataDir, 'voicemails');
    events = [];
    forgotten = [];
  });
  afterEach(() => storage.close());

  const open = (submit: VoicemailTranscriber['submit'], more: { blobs?: Blobs } = {}) =>
    new Voicemails({
      storage,
      blobs: more.blobs ?? blobs,
      clock,
      records: { find: async () => CALL },
      webhooks: {
        publish: async (_trx: unknown, event: never) => void events.push(event),
      } as never,
      hearing: {
        submit,
        forget: async (_scope, id) => void forgotten.push(id),
        text: async () => 'Please call me back.',
      },
      wavOf: (pcm) => pcm,
    });
  const spoken = (voicemails: Voicemails) =>
    new VoicemailIntake({
      storage,
      clock,
      background: new BackgroundTasks({ clock }),
      folder,
      voicemails,
      standings: { of: async () => PRINCIPAL },
      onError: (error) => {
        throw error;
      },
    });
  const accepted: VoicemailTranscriber['submit'] = ({ keep }) =>
    storage.transaction((trx) => keep(trx, 'job_1'));
  const leave = async (voicemails: Voicemails) => {
    await voicemails.keep({ id: 'tcl_1', principal: PRINCIPAL }, tone([500], 1_000));
    const [row] = await voicemails.list(SCOPE, { limit: 5 }, {}, null);
    return row!;
  };

  it('are told of when they are written down, once', async () => {
    const voicemails = open(accepted);
    const row = await leave(voicemails);
    expect(row).toMatchObject({ status: 'transcribing', job_id: 'job_1', duration_ms: 1_000, bytes: 16_000 });
    expect(events).toEqual([]);
    for (let times = 0; times < 2; times++)
      await storage.transaction((trx) => voicemails.transcribed(trx, 'job_1'));
    await storage.transaction((trx) => voicemails.transcriptionFailed(trx, 'job_1', 'too late'));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      urls: ['https://example.com/hook'],
      data: { id: row.id, status: 'completed', transcript: 'Please call me back.', from: CALL.from_number },
    });
  });

  // @requirement Telephony: A voicemail survives a killed server.
  it('are kept when their server was killed while they were spoken, once and up to the last word', async () => {
    const voicemails = open(accepted);
    const [killed, next] = [spoken(voicemails), spoken(voicemails)];
    await killed.start();
    const spooled = killed.begin(SPOKEN.id);
    spooled.write(Buffer.concat([silence(200), tone([500], 700)]));
    spooled.write(tone([500], 300));
    spooled.end();
    const silent = killed.begin(SILENT.id);
    silent.write(silence(900));
    silent.end();
    await written(folder, SPOKEN.id, 9_600);
    await written(folder, SILENT.id, 7_200);
    await insertCalls(storage, 'answered');
    await next.sweep();
    expect(await voicemails.list(SCOPE, { limit: 5 }, {}, null)).toEqual([]);
    await insertCalls(storage, 'ended');
    for (let times = 0; times < 2; times++) await next.sweep();
    const stored = await voicemails.list(SCOPE, { limit: 5 }, {}, null);
    expect(stored).toMatchObject([{ call_id: SPOKEN.id, job_id: 'job_1', duration_ms: 1_200 }]);
    expect(readdirSync(folder)).toEqual([]);
    await killed.stop();
  });

  it('say why they could not be written down', async () => {
    const voicemails = open(accepted);
    await leave(voicemails);
    await storage.transaction((trx) =>
      voicemails.transcriptionFailed(trx, 'job_1', 'The transcription failed.'),
    );
    expect(events[0]).toMatchObject({ data: { status: 'failed', error: 'The transcription failed.' } });
  });

  it('keep their sound where there is no credit, and are told of where there is no room', async () => {
    const poor = open(async () => {
      throw new ApiError('credit_exhausted', 'none is left');
    });
    expect(await leave(poor)).toMatchObject({
      status: 'failed',
      error: 'credit_exhausted',
      bytes: 16_000,
    });
    expect(events[0]).toMatchObject({ data: { recording: true, transcript: null } });
    const full = open(accepted, {
      blobs: {
        put: async () => {
          throw new ApiError('storage_quota_exceeded', 'it is full');
        },
      } as unknown as Blobs,
    });
    clock.advance(1);
    expect(await leave(full)).toMatchObject({ error: 'storage_quota_exceeded', bytes: null });
    expect(events[1]).toMatchObject({ data: { recording: false } });
  });

  it('go by retention: the sound first, then the words; and with the person who left them', async () => {
    const voicemails = open(accepted);
    const row = await leave(voicemails);
    const retention = async () => ({ recording: 90, transcript: 365, jobAudio: 7 }) as never;
    const drops = { remove: async () => undefined };
    const sweep = voicemailSweep(
      { storage, blobs, clock, background: new BackgroundTasks({ clock }), retention },
      voicemails,
      drops,
    );
    await sweep.sweep();
    expect(await voicemails.find(SCOPE, row.id)).toMatchObject({ bytes: 16_000 });
    clock.advance(91 * DAY_MS);
    await sweep.sweep();
    expect(await voicemails.find(SCOPE, row.id)).toMatchObject({ bytes: null });
    clock.advance(300 * DAY_MS);
    await sweep.sweep();
    await expect(voicemails.find(SCOPE, row.id)).rejects.toMatchObject({ code: 'not_found' });

    const again = await leave(voicemails);
    const holds = { among: async () => new Set<string>() };
    const person = { externalId: CALL.from_number, until: clock.now() };
    expect(await voicemails.personalData.erase(SCOPE, person, holds)).toMatchObject({
      counts: { voicemails: 1 },
      records: [again.id],
    });
    await expect(voicemails.find(SCOPE, again.id)).rejects.toMatchObject({ code: 'not_found' });
    expect(forgotten).toEqual(['job_1', 'job_1']);
  });
});
