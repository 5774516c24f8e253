import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { factsOf, paperOf } from '../../bench/compliance/papers.ts';
import { Random } from '../../bench/compliance/random.ts';
import { viewOf } from '../../src/compliance/index.ts';
import { openStorage } from '../../src/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../child.ts';
import { compileProgram } from '../running.ts';
import { DOER, openNode, REACH, workUntilApproved } from './node.ts';

/** Scan and reading, each claimed and ended, the beginning of reading, submission, and what the network said twice. */
const LEAST_COMMITS = 9;
const MOST_COMMITS = 40;
const PROOF_OF_ADDRESS = 6;
const LEASES_OVER_MS = 120_000;

let program: ChildProgram;
beforeAll(async () => {
  await compileProgram();
  program = await buildChild('test/compliance/node-program.ts');
}, 120_000);
afterAll(() => program?.remove());

async function orderedCase(folder: string): Promise<string> {
  const storage = await openStorage({ dataDir: folder });
  const { room, blobs } = await openNode(storage, folder, 0);
  const subject = {
    kind: 'new_number',
    country: 'CA',
    number_type: 'local',
    capabilities: ['voice'],
    use_case: 'Support line',
    external_id: null,
  } as const;
  const { dossier } = await room.cases.create(REACH, subject, DOER, async () => {});
  const { id } = dossier.row;
  for (const asked of dossier.snapshot.config.attestations)
    await room.attestations.add(REACH, id, null, asked.id, { by: DOER, isReviewer: false }, async () => {});
  const { pdf, document } = paperOf(PROOF_OF_ADDRESS, 1, factsOf(new Random(3), 'CA', Date.now()));
  const file = await room.uploads.store(REACH, id, 'paper.pdf', Readable.from([pdf]));
  await room.uploads.add(REACH, id, null, document, file, DOER);
  await storage.close();
  await blobs.close();
  return id;
}

async function check(folder: string, id: string): Promise<void> {
  const storage = await openStorage({ dataDir: folder });
  const { room, blobs } = await openNode(storage, folder, 0);
  const found = viewOf(await room.desk.look(REACH, id));
  expect(found).toMatchObject({ state: 'submitted', network_status: 'approved' });
  expect(found.extractions).toMatchObject([{ status: 'succeeded', cost_micros: 20 }]);
  expect(found.uploads).toMatchObject([{ malware_status: 'clean', removed_at: null }]);
  const told = found.timeline.map(({ type }) => type);
  for (const once of ['document.scanned', 'document.read', 'network.accepted', 'network.reviewed'])
    expect(
      told.filter((type) => type === once),
      once,
    ).toHaveLength(1);
  expect(found.timeline.map(({ version }) => version)).toEqual(found.timeline.map((_each, at) => at + 1));
  expect(await storage.db.selectFrom('jobs').select('id').execute()).toEqual([]);
  await storage.close();
  await blobs.close();
}

it('loses nothing and counts nothing twice, killed at each commit', async () => {
  let at = 0;
  for (; at < MOST_COMMITS; at += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'compliance-crash-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const id = await orderedCase(folder);
    const crash = { at, phase: at % 2 === 0 ? 'before' : 'after' } as const;
    const setting = { folder, id, aheadMs: 0 };
    const ended = await runChild(program, { ...setting, storage: { dataDir: folder }, crash });
    if (ended.code === 0) {
      await check(folder, id);
      break;
    }
    expect(ended).toMatchObject({ signal: 'SIGKILL' });
    const storage = await openStorage({ dataDir: folder });
    await workUntilApproved(storage, { ...setting, aheadMs: LEASES_OVER_MS });
    await storage.close();
    await check(folder, id);
  }
  expect(at).toBeGreaterThanOrEqual(LEAST_COMMITS);
  expect(at).toBeLessThan(MOST_COMMITS);
}, 300_000);
