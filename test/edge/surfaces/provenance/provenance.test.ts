// @requirement Provenance: The detector finds the watermark of this deployment in 5 s of audio, and tells it from another's.
// @requirement Provenance: Casts carry the watermark through mastering and MP3.
// @requirement Provenance: The watermark can be turned off by an operator alone, and the audit log records it.
// @requirement Provenance: The detector's threshold keeps false positives below one in a million.
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProvenanceSurface } from '../../../../src/edge/surfaces/provenance/index.ts';
import type { Principal } from '../../../../src/foundation/access/contract.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { openStorage, type Storage } from '../../../../src/foundation/storage/index.ts';
import { AudioDecoder, findFfmpeg, wavHeader } from '../../../../src/media/codec/index.ts';
import { type Engine, synthesizeJob } from '../../../../src/media/engine/index.ts';
import {
  byChance,
  Marks,
  policyOf,
  provenanceOf,
  RARE,
  thresholdOf,
} from '../../../../src/products/provenance/index.ts';
import { StockVoices, stockVoice } from '../../../../src/speech/voices/index.ts';
import { sharedEngine } from '../../../media/engine/shared-engine.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { bearer, start } from '../../server/fixtures/start.ts';

const models = new Models();
const TEXT =
  'Thank you for calling the town library. We are open from nine to six on weekdays, and from ten to two on Saturdays.';

let engine: Engine;
let storage: Storage;
let marks: Marks;
let serve: (orgId: string) => Promise<string>;
const servers: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  engine = sharedEngine();
  await engine.prepared();
  storage = await openStorage({ dataDir: ':memory:' });
  for (const id of ['org_one', 'org_two'])
    await storage.db
      .insertInto('organizations')
      .values({
        id,
        name: id,
        kind: 'account',
        plan: 'standard',
        trace_entitled: 0,
        referral: null,
        created_at: 0,
      })
      .execute();
  marks = new Marks(storage, systemClock, Buffer.from('a deployment'));
  const ffmpeg = findFfmpeg(null, models)!.path;
  const decoder = new AudioDecoder({ ffmpeg, temporary: tmpdir(), atOnce: 2 });
  serve = async (orgId) => {
    const access = new OneKeyAccess();
    const principal = access.principal.bind(access);
    access.principal = (): Principal => ({ ...principal(), orgId });
    const surface = createProvenanceSurface({ engine, decoder, watermark: marks, temporary: tmpdir() });
    const { url, server } = await start({ surfaces: [surface], access });
    servers.push(server);
    return url;
  };
}, 300_000);

afterAll(async () => {
  engine?.destroy();
  await storage?.close();
});

async function spoken(code: string | null): Promise<FormData> {
  const voice = stockVoice(new StockVoices().resolve('joe_en_us')).engine;
  const options = {
    voice: code === null ? voice : { ...voice, mark: code },
    rate: 24000,
    format: 'pcm16',
  } as const;
  const pcm = Buffer.from(await engine.submit(synthesizeJob, options, Buffer.from(TEXT)).result());
  const cut = pcm.subarray(48_000, 48_000 * 6);
  expect(cut.length).toBe(48_000 * 5);
  const header = wavHeader({ sampleRate: 24000, channels: 1, sample: 's16' }, cut.length);
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(Buffer.concat([header, cut]))]), 'cut.wav');
  return form;
}

const ask = async (url: string, body: FormData) =>
  (await fetch(`${url}/v1/audio/provenance`, { method: 'POST', headers: bearer, body })).json();

describe('the mark of what is spoken here', () => {
  it('is found in five seconds, and only the organization that had it made is told that it is theirs', async () => {
    const marked = await spoken(await marks.codeFor('org_one'));
    const theirs = (await ask(await serve('org_one'), marked)) as object;
    expect(theirs).toMatchObject({ object: 'audio.provenance', marked: true, ours: true });
    const others = (await ask(await serve('org_two'), marked)) as { confidence: number };
    expect(others).toMatchObject({ marked: true, ours: false });
    expect(others.confidence).toBeGreaterThan(0.99);
  }, 120_000);

  it('is not found where there is none', async () => {
    const url = await serve('org_one');
    expect(await ask(url, await spoken(null))).toMatchObject({ marked: false, ours: false });
    const elsewhere = new Marks(storage, systemClock, Buffer.from('another deployment'));
    expect(await ask(url, await spoken(elsewhere.codeOf('org_one')))).toMatchObject({ marked: false });
  }, 120_000);

  it('is looked for in sounds alone', async () => {
    const form = new FormData();
    form.set('file', new Blob(['no sound']), 'a.wav');
    const answer = await fetch(`${await serve('org_one')}/v1/audio/provenance`, {
      method: 'POST',
      headers: bearer,
      body: form,
    });
    expect([
      answer.status,
      ((await answer.json()) as { code?: string; error: { code: string } }).error.code,
    ]).toEqual([400, 'invalid_audio']);
  });
});

describe('whether sound is marked', () => {
  it('follows the organization, else the law of its country, else caution', () => {
    const of = (country: string | null, on: boolean | null) => {
      const { marked, because } = policyOf({ country, marks: on });
      return [marked, because];
    };
    expect(of(null, null)).toEqual([true, 'unknown_country']);
    expect(of('FR', null)).toEqual([true, 'law']);
    expect(of('BR', null)).toEqual([false, 'no_law']);
    expect(of('BR', true)).toEqual([true, 'organization']);
    expect(of('FR', false)).toEqual([false, 'organization']);
  });

  it('is switched by the organization, from the next sound on, and written to its audit log', async () => {
    const by = { kind: 'user', id: 'usr_1', from: '127.0.0.1', requestId: 'r' } as const;
    expect(await marks.codeFor('org_two')).toBe(marks.codeOf('org_two'));
    await marks.change('org_two', { marks: false }, by);
    expect(await marks.codeFor('org_two')).toBeNull();
    expect(await marks.codeFor('org_one')).not.toBeNull();
    const policy = await marks.change('org_two', { marks: null, country: 'DE' }, by);
    expect(policy).toMatchObject({ marked: true, because: 'law', law: { since: '2026-08-02' } });
    const entries = await storage.db
      .selectFrom('audit_entries')
      .select('action')
      .where('org_id', '=', 'org_two')
      .execute();
    expect(entries.map(({ action }) => action)).toEqual(['provenance.changed', 'provenance.changed']);
  });
});

describe('the threshold', () => {
  it.each([1, 20, 240])('leaves at most one false alarm in a million recordings of %i windows', (windows) => {
    const threshold = thresholdOf(windows);
    expect(byChance(threshold, windows)).toBeCloseTo(RARE, 12);
    expect(byChance(threshold - 0.1, windows)).toBeGreaterThan(RARE);
    const reading = { windows, at: 0, common: 0, tag: 0, speed: 1, bits: [] };
    expect(provenanceOf({ ...reading, whole: threshold + 0.001 })).toMatchObject({
      marked: true,
      confidence: 1,
    });
    expect(provenanceOf({ ...reading, whole: threshold - 0.001 })).toMatchObject({ marked: false });
  });
});
