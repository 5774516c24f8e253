import { describe, expect, it } from 'vitest';
import { reachOf } from '../../../src/access/index.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { forgetsSounds, soundsTrail, VoiceStore } from '../../../src/voices/index.ts';
import { agentSaid, hangUp } from './agent.ts';
import { absent, Client, openOmni } from './server.ts';

const GREETING = 'Good morning, this is Acme.';
const CLONE = {
  id: 'vc_00000000000000000001',
  name: 'Somebody',
  source: 'clone',
  engine: { model: 'piper', language: 'en', accent: 'en-us', styles: [] },
  meta: {},
} as const;

async function openKept() {
  const omni = await openOmni();
  const faults: unknown[] = [];
  forgetsSounds(omni.engine, omni.storage, (error) => faults.push(error));
  const counts = () => omni.engine.kinds().find(({ name }) => name === 'omni')!.counts;
  /** Until the greeting was heard: the bytes that came of it. */
  const greet = async (greeting = GREETING): Promise<Buffer> => {
    const client = await new Client(omni.url).opened();
    await client.configure({ greeting });
    await agentSaid(client, /Acme/);
    await hangUp(client);
    return Buffer.concat(client.audio);
  };
  const greetedThrice = async () => [await greet(), await greet(), await greet()] as const;
  return { ...omni, reach: reachOf(omni.access.principal()), faults, counts, greet, greetedThrice };
}

describe.skipIf(Boolean(absent))('what an agent says again', () => {
  it('is kept from its second time on, sounds the same and is in the record as before', async () => {
    const { counts, greetedThrice, lanes, reach } = await openKept();
    const before = counts();
    const [made, , kept] = await greetedThrice();
    expect(lanes.map(({ owner }) => owner)).toEqual([reach.org, reach.org, reach.org]);
    const after = counts();
    expect(after.segments_asked_total! - before.segments_asked_total!).toBe(3);
    expect(after.segments_kept_total! - before.segments_kept_total!).toBe(1);
    expect(after.kept_sounds_bytes).toBeGreaterThan(4 * 16_000);
    expect(soundOf(kept).equals(soundOf(made))).toBe(true);
    const { greet, billed } = await openKept();
    for (const _ of [1, 2]) await greet();
    const [first, second] = await billed();
    expect(Math.abs(first! - second!), 'the call is what is billed, whoever made its sound').toBeLessThan(
      1500,
    );
  });

  it('is forgotten with a voice that is deleted, and with a person who is erased', async () => {
    const { counts, greetedThrice, storage, reach, faults } = await openKept();
    const store = new VoiceStore(storage, systemClock);
    await greetedThrice();
    expect(counts().kept_sounds).toBeGreaterThan(0);
    await store.addVoice(reach, CLONE);
    expect(await store.deleteClone(reach, 'vc_of_nobody')).toBe(false);
    expect(await store.deleteClone(reach, CLONE.id)).toBe(true);
    await expect.poll(() => counts().kept_sounds).toBe(0);
    await greetedThrice();
    expect(counts().kept_sounds).toBe(1);
    expect(await soundsTrail(storage)({ org: 'org_other' })).toEqual({});
    expect(await soundsTrail(storage)(reach)).toEqual({});
    await expect.poll(() => counts().kept_sounds).toBe(0);
    expect(faults).toEqual([]);
  });
});

/** Without the silence before and behind it. */
function soundOf(pcm: Buffer): Buffer {
  let [from, to] = [0, pcm.length];
  while (from < to && pcm.readInt16LE(from) === 0) from += 2;
  while (to > from && pcm.readInt16LE(to - 2) === 0) to -= 2;
  return pcm.subarray(from, to);
}
