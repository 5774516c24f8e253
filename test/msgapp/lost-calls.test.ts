/** Calls by a messaging app whose server has died, in a database of its own. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reachOfRow } from '../../src/access/index.ts';
import { CallRecords, LostCalls } from '../../src/msgapp/index.ts';
import { openStorage, type Storage } from '../../src/storage/index.ts';
import { ManualClock } from '../platform/manual-clock.ts';

const PLACE = { org_id: 'org_a', project_id: 'proj_a', environment: 'live' } as const;
const reach = reachOfRow(PLACE);
let clock: ManualClock;
let storage: Storage;
let records: CallRecords;
beforeEach(async () => {
  clock = new ManualClock();
  storage = await openStorage({ dataDir: mkdtempSync(join(tmpdir(), 'lost-')), clock });
  records = new CallRecords(storage, clock);
});
afterEach(() => storage.close());

const begin = async (call: string) =>
  (await records.begin(reach, {
    number_id: 'wan_a',
    provider_call_id: call,
    direction: 'inbound',
    from_number: '+15005550001',
    to_number: '+15005550006',
    agent_id: null,
  })) as string;
const stateOf = async (id: string) => (await records.get(reach, id))?.state;

/** Another server with this database, whose first look has been at all calls. */
async function server(live: readonly string[]): Promise<LostCalls> {
  const faults: unknown[] = [];
  const lost = new LostCalls(clock, records, () => live);
  lost.start((error) => faults.push(error));
  await lost.stop();
  expect(faults).toEqual([]);
  return lost;
}

it('ends at its start what a dead server left open, and nothing that lives', async () => {
  const [rings, talks, lives, over] = [
    await begin('1'),
    await begin('2'),
    await begin('3'),
    await begin('4'),
  ];
  const began = clock.now();
  await records.answered(reach, talks, 'ocl_a');
  await records.end(reach, over, 'completed', null);
  await server([]);
  expect(await stateOf(rings)).toBe('ringing');
  clock.advance(61_000);
  await records.seen([lives]);
  await server([]);
  expect([await stateOf(rings), await stateOf(talks), await stateOf(lives)]).toEqual([
    'ended',
    'ended',
    'ringing',
  ]);
  expect(await records.get(reach, talks)).toMatchObject({
    end_reason: 'failed',
    error: 'the server that carried the call was lost',
    ended_at: began,
  });
  expect(await records.get(reach, over)).toMatchObject({ end_reason: 'completed', error: null });
});

it('says of its own calls that they live, before it looks for lost ones', async () => {
  const own = await begin('1');
  clock.advance(61_000);
  await server([own]);
  expect(await stateOf(own)).toBe('ringing');
});
