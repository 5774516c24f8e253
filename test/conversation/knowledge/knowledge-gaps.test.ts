// @requirement Knowledge: The record lists passages that were given and used, and gaps are collected.

import { describe, expect, it } from 'vitest';
import { gapSweep } from '../../../src/conversation/knowledge/retention.ts';
import { DEFAULT_RETENTION, tenantScopeOf } from '../../../src/foundation/access/index.ts';
import { SYSTEM_ACTOR } from '../../../src/foundation/audit/index.ts';
import { BackgroundTasks } from '../../../src/foundation/platform/background-tasks.ts';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { LegalHolds } from '../../../src/foundation/privacy/index.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { openKnowledge } from '../../edge/surfaces/knowledge/server.ts';
import { migratedDatabase } from '../../foundation/storage/databases.ts';

const DAY_MS = 24 * 3600 * 1000;
const OURS = tenantScopeOf(new OneKeyAccess().principal());

const dialects = process.env.TRUNKLINE_TEST_DATABASE_URL
  ? (['sqlite', 'postgres'] as const)
  : (['sqlite'] as const);

async function withTwo(dialect: (typeof dialects)[number]) {
  const database = (await migratedDatabase(dialect)).options;
  const knowledge = await openKnowledge({ database, wordsAlone: true });
  const { service, storage } = knowledge;
  const base = await knowledge.base();
  const said = (question: string, externalId: string) => ({
    question,
    language: 'en',
    callId: 'ocl_1',
    externalId,
  });
  await service.gaps.note(OURS, [base], [said('Do you sell boats?', 'ann'), said('Are you hiring?', 'bob')]);
  const questions = async () => {
    const { json } = await knowledge.send('GET', `/${base}/gaps`);
    return (json.data as { question: string }[]).map(({ question }) => question).sort();
  };
  const boats = (await service.gaps.list(OURS, base, {}, null)).find(({ question }) =>
    /boats/.test(question),
  );
  const holds = new LegalHolds(storage, systemClock, [service.gaps.personalData]);
  return { service, storage, questions, holds, boats: boats?.id as string };
}

describe.each(dialects)('what callers asked in vain, on %s', (dialect) => {
  it('stays as long as transcripts do, or as a hold wants it', async () => {
    const { storage, questions, holds, boats } = await withTwo(dialect);
    const retention = async () => ({ ...DEFAULT_RETENTION, transcript: 30 });
    const daysOn = (days: number) => ({ ...systemClock, now: () => Date.now() + days * DAY_MS });
    await gapSweep({
      storage,
      clock: daysOn(29),
      background: new BackgroundTasks({ clock: daysOn(29) }),
      retention,
    }).sweep();
    expect(await questions()).toEqual(['Are you hiring?', 'Do you sell boats?']);
    await holds.place(OURS, boats, 'a case', SYSTEM_ACTOR);
    await gapSweep({
      storage,
      clock: daysOn(31),
      background: new BackgroundTasks({ clock: daysOn(31) }),
      retention,
    }).sweep();
    expect(await questions()).toEqual(['Do you sell boats?']);
  });

  it('goes with the person who asked, but what is held', async () => {
    const { service, questions, holds, boats } = await withTwo(dialect);
    const ann = { externalId: 'ann', until: Date.now() };
    await holds.place(OURS, boats, 'a case', SYSTEM_ACTOR);
    expect(await service.gaps.personalData.erase(OURS, ann, holds)).toMatchObject({ held: [boats] });
    await holds.release(OURS, boats, SYSTEM_ACTOR);
    expect(await service.gaps.personalData.erase(OURS, ann, holds)).toMatchObject({
      counts: { knowledge_gaps: 1 },
      held: [],
    });
    expect(await questions()).toEqual(['Are you hiring?']);
  });
});
