// @requirement AMD: Evidence of detections follows erasure, legal hold and retention.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_RETENTION } from '../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { Erasures, LegalHolds } from '../../../src/foundation/privacy/index.ts';
import { openBlobs, type Storage, withinTenant } from '../../../src/foundation/storage/index.ts';
import { amdPersonalData, wordsSweep } from '../../../src/products/amd/index.ts';
import { SEEDS } from '../../contract/seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';
import { onBothDatabases } from '../../foundation/storage/databases.ts';

const NOW = Date.UTC(2026, 10, 22, 12);
const DAY_MS = 24 * 3600 * 1000;
const HERE = scopeFor('org_a');
const THERE = scopeFor('org_b');
const NUMBER = '+15005550004';

const VERDICT = {
  answeredBy: 'voicemail',
  reason: 'voicemail_words',
  confidence: 0.9,
  atMs: 3000,
  because: [
    { code: 'voicemail_words', detail: '“leave a message”', weight: 2 },
    { code: 'long_greeting', detail: '5.0 s of speech', weight: 1 },
  ],
};
const EVIDENCE = [
  { kind: 'speech', atMs: 400, fromMs: 300 },
  { kind: 'words', atMs: 3000, stretch: 1, fromMs: 300, toMs: 2900, text: 'Ann, leave a message' },
];

onBothDatabases('judged calls of persons', (databases) => {
  async function open() {
    const folder = mkdtempSync(join(tmpdir(), 'amd-erasure-'));
    databases.after(() => rmSync(folder, { recursive: true, force: true }));
    const clock = new ManualClock(NOW);
    const storage = await databases.open();
    const stores = [amdPersonalData(storage)];
    const holds = new LegalHolds(storage, clock, stores);
    const blobs = await openBlobs({ folder });
    const erasures = new Erasures({ storage, blobs, clock, holds, stores, cleanups: [] });
    const sweep = wordsSweep({
      storage,
      clock,
      background: new BackgroundTasks({ clock }),
      retention: async (org) => ({ ...DEFAULT_RETENTION, transcript: org === 'org_b' ? 2 : 365 }),
    });
    return { storage, clock, holds, erasures, sweep };
  }

  const call = async (storage: Storage, more: object = {}, scope = HERE) => {
    const row = {
      ...SEEDS.amd_calls('x', NOW - 1),
      called: NUMBER,
      verdict: JSON.stringify(VERDICT),
      evidence: JSON.stringify(EVIDENCE),
      transcript: 'Ann, leave a message',
      fingerprint: 'AAAA',
      ...more,
    };
    await withinTenant(storage.db, scope).insertInto('amd_calls', row).execute();
    return row.id as string;
  };
  const rows = (storage: Storage, scope = HERE) =>
    withinTenant(storage.db, scope).selectFrom('amd_calls').selectAll().orderBy('id').execute();

  it('are erased by the number called and by the external id, inside the tenant', async () => {
    const { storage, erasures } = await open();
    await call(storage);
    await call(storage, { called: null, external_id: 'ana' });
    const other = await call(storage, { called: '+15005550005', external_id: 'bob' });
    await call(storage, {}, THERE);
    expect((await erasures.erase(HERE, NUMBER, SYSTEM_ACTOR)).counts).toEqual({
      amd_calls: 1,
      transcripts: 1,
    });
    expect((await erasures.erase(HERE, 'ana', SYSTEM_ACTOR)).counts).toEqual({
      amd_calls: 1,
      transcripts: 1,
    });
    expect((await rows(storage)).map(({ id }) => id)).toEqual([other]);
    expect(await rows(storage, THERE)).toHaveLength(1);
  });

  it('stay where a legal hold is on them, and where they came after the request', async () => {
    const { storage, erasures, holds, sweep, clock } = await open();
    const held = await call(storage);
    const later = await call(storage, { created_at: NOW + 1 });
    await holds.place(HERE, held, 'a claim', SYSTEM_ACTOR);
    expect((await erasures.erase(HERE, NUMBER, SYSTEM_ACTOR)).held).toBe(1);
    expect((await rows(storage)).map(({ id }) => id).sort()).toEqual([held, later].sort());
    await clock.advance(400 * DAY_MS);
    await sweep.sweep();
    const stored = await rows(storage);
    expect(stored.find(({ id }) => id === held)?.transcript).not.toBeNull();
    expect(stored.find(({ id }) => id === later)?.transcript).toBeNull();
  });

  it('lose their words once each organization’s time is over; verdict and times stay', async () => {
    const { storage, sweep, clock } = await open();
    await call(storage);
    await call(storage, {}, THERE);
    await clock.advance(3 * DAY_MS);
    await sweep.sweep();
    expect((await rows(storage))[0]?.transcript).toBe('Ann, leave a message');
    const [swept] = await rows(storage, THERE);
    expect(swept).toMatchObject({
      transcript: null,
      fingerprint: null,
      answered_by: 'human',
      called: NUMBER,
    });
    expect(JSON.parse(swept!.evidence)).toEqual([EVIDENCE[0]]);
    expect(JSON.parse(swept!.verdict).because).toEqual([
      { ...VERDICT.because[0], detail: '' },
      VERDICT.because[1],
    ]);
    expect(JSON.stringify(swept)).not.toContain('message"');
    await clock.advance(363 * DAY_MS);
    await sweep.sweep();
    expect((await rows(storage))[0]?.transcript).toBeNull();
  });
});
