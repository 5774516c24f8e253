// @requirement Compliance cases: The timeline says who did what, for each version.
// @requirement Compliance cases: A process that is killed at any step loses nothing and bills nothing twice.
/** A node is killed at each of its commits, and another process continues its cases. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openStorage } from '../../../src/foundation/storage/index.ts';
import { viewOf } from '../../../src/telephony/compliance/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../child-program.ts';
import { copySqlite } from '../../foundation/storage/templates.ts';
import { long } from '../../long-tests.ts';
import { compileProgram } from '../../running-server.ts';
import { openNode, workUntilOver } from './node.ts';
import { DOER, noPictures, SCOPE, STORIES, type Story, type StoryName, send } from './stories.ts';

const MOST_COMMITS = 40;
const LEASES_OVER_MS = 120_000;
/** The short form kills at every sixth commit, and each story starts at another one. */
const STEP = long ? 1 : 6;

if (noPictures && process.env.CI === 'true') throw new Error('absent: tesseract or ffmpeg');

let program: ChildProgram;
beforeAll(async () => {
  await compileProgram();
  program = await buildChild('test/telephony/compliance/node-program.ts');
}, 120_000);
afterAll(() => program?.remove());

async function orderedCase(
  folder: string,
  story: Story,
  papers: ReturnType<Story['papers']>,
): Promise<string> {
  const storage = await openStorage({ dataDir: folder });
  const { service, blobs } = await openNode(storage, folder, 0, story);
  const subject = {
    ...story.subject,
    number_type: 'local',
    capabilities: ['voice'],
    use_case: story.use ?? 'Support line',
    external_id: null,
  } as const;
  const { dossier } = await service.cases.create(SCOPE, subject, DOER, async () => {});
  const { id } = dossier.row;
  for (const asked of dossier.snapshot.config.attestations)
    await service.attestations.add(
      SCOPE,
      id,
      null,
      asked.id,
      { by: DOER, isReviewer: false },
      async () => {},
    );
  for (const [request, bytes] of papers) await send(service, id, request, bytes);
  await storage.close();
  await blobs.close();
  return id;
}

async function check(folder: string, id: string, story: Story): Promise<void> {
  const storage = await openStorage({ dataDir: folder });
  const { service, blobs } = await openNode(storage, folder, 0, story);
  const found = viewOf(await service.caseService.look(SCOPE, id));
  const stored = await blobs.list('compliance', id);
  story.check(
    found,
    stored.map(({ name: blob }) => blob),
  );
  expect(found.timeline.map(({ version }) => version)).toEqual(found.timeline.map((_each, at) => at + 1));
  await storage.close();
  await blobs.close();
}

async function killedAt(at: number, name: StoryName, papers: ReturnType<Story['papers']>): Promise<boolean> {
  const story = STORIES[name];
  const folder = mkdtempSync(join(tmpdir(), 'compliance-crash-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  await copySqlite(folder);
  const id = await orderedCase(folder, story, papers);
  const crash = { at, phase: at % 2 === 0 ? 'before' : 'after' } as const;
  const setting = { folder, id, story: name, aheadMs: 0 };
  const ended = await runChild(program, { ...setting, storage: { dataDir: folder }, crash });
  if (ended.code !== 0) {
    expect(ended).toMatchObject({ signal: 'SIGKILL' });
    const storage = await openStorage({ dataDir: folder });
    await workUntilOver(storage, { ...setting, aheadMs: LEASES_OVER_MS });
    await storage.close();
  }
  await check(folder, id, story);
  return ended.code !== 0;
}

describe('a case loses nothing and counts nothing twice, killed at each commit, when it', () => {
  it.each(Object.keys(STORIES) as StoryName[])(
    '%s',
    async (name) => {
      if (name === 'has a picture read' && noPictures) return;
      const papers = STORIES[name].papers();
      let at = Object.keys(STORIES).indexOf(name) % STEP;
      while (at < MOST_COMMITS && (await killedAt(at, name, papers))) at += STEP;
      expect(at).toBeGreaterThanOrEqual(STORIES[name].leastCommits);
      expect(at).toBeLessThan(MOST_COMMITS + STEP);
    },
    300_000,
  );
});
