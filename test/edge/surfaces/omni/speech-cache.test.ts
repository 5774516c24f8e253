import { describe, expect, it, vi } from 'vitest';
import { type Principal, type TenantScope, tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { type Engine, EngineStatus, engineStatusError } from '../../../../src/media/engine/index.ts';
import {
  speechCacheErasure,
  speechCacheEviction,
  speechCacheOwner,
  VoiceStore,
} from '../../../../src/speech/voices/index.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
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

const PAYS: Partial<Principal> = { environment: 'live' };

class AccessOf extends OneKeyAccess {
  readonly #who: Partial<Principal>;
  constructor(who: Partial<Principal>) {
    super();
    this.#who = who;
  }
  override principal = (): Principal => ({ ...super.principal(), ...this.#who });
}

async function openCached(who = PAYS) {
  const omni = await openOmni({ access: new AccessOf(who), ownEngine: true });
  const faults: unknown[] = [];
  const unready = { times: 0 };
  const submit: Engine['submit'] = (...order) => {
    if (unready.times-- > 0) throw engineStatusError(EngineStatus.not_ready);
    return omni.engine.submit(...order);
  };
  speechCacheEviction({ submit, kinds: () => omni.engine.kinds() }, omni.storage, (error) =>
    faults.push(error),
  );
  const counts = () => omni.engine.kinds().find(({ name }) => name === 'omni')!.counts;
  const greet = async (greeting = GREETING): Promise<Buffer> => {
    const client = await new Client(omni.url).opened();
    await client.configure({ greeting });
    await agentSaid(client, /Acme/);
    await hangUp(client);
    return Buffer.concat(client.audio);
  };
  const greetedThrice = async () => [await greet(), await greet(), await greet()] as const;
  return {
    ...omni,
    scope: tenantScopeOf(omni.access.principal()),
    faults,
    unready,
    counts,
    greet,
    greetedThrice,
  };
}

describe.skipIf(Boolean(absent))('what an agent says again', () => {
  it('is kept from its second time on, sounds the same and is in the record as before', async () => {
    const { counts, greetedThrice, lanes, scope } = await openCached();
    const before = counts();
    const [, noted, stored] = await greetedThrice();
    expect(lanes.map(({ owner }) => owner)).toEqual(Array(3).fill(speechCacheOwner(scope)));
    const after = counts();
    expect(after.segments_asked_total! - before.segments_asked_total!).toBe(3);
    expect(after.segments_kept_total! - before.segments_kept_total!).toBe(1);
    expect(after.kept_sounds_bytes).toBeGreaterThan(4 * 16_000);
    expect(soundOf(stored).equals(soundOf(noted))).toBe(true);
    const { greet, billed } = await openCached();
    for (const _ of [1, 2]) await greet();
    const [first, second] = await billed();
    expect(Math.abs(first! - second!), 'the call is what is billed, whoever made its sound').toBeLessThan(
      1500,
    );
  });

  it('is forgotten with a voice that is deleted, and with a person who is erased', async () => {
    const { counts, greetedThrice, storage, scope, faults, unready } = await openCached();
    const store = new VoiceStore(storage, systemClock);
    await greetedThrice();
    expect(counts().kept_sounds).toBeGreaterThan(0);
    await store.addVoice(scope, CLONE);
    expect(await store.deleteClone(scope, 'vc_of_nobody')).toBe(false);
    expect(await store.deleteClone(scope, CLONE.id)).toBe(true);
    await expect.poll(() => counts().kept_sounds).toBe(0);
    await greetedThrice();
    expect(counts().kept_sounds).toBe(1);
    const others = [{ org: 'org_other' }, { project: 'proj_other' }, { environment: 'sandbox' }] as const;
    for (const other of others) expect(await speechCacheErasure(storage)({ ...scope, ...other })).toEqual({});
    expect(counts().kept_sounds).toBe(1);
    unready.times = 2;
    expect(await speechCacheErasure(storage)(scope)).toEqual({});
    await expect.poll(() => counts().kept_sounds, { timeout: 5_000 }).toBe(0);
    expect(unready.times).toBeLessThan(0);
    expect(faults).toEqual([]);
  });

  it('is kept neither for a trial nor for a page’s visitor', async () => {
    const browser = { origin: 'https://shop.example', agentId: null, configurable: null };
    for (const who of [{}, { ...PAYS, kind: 'browser_token', browser } as const]) {
      const { greet, counts, lanes } = await openCached(who);
      const before = counts();
      await greet();
      expect(lanes.map(({ owner }) => owner)).toEqual([undefined]);
      expect(counts().segments_asked_total).toBe(before.segments_asked_total);
    }
  });

  it('is not forgotten where the voice could not be deleted, nor deleted where that could not be told', async () => {
    const { storage, scope } = await openCached();
    await new VoiceStore(storage, systemClock).addVoice(scope, CLONE);
    const reported = vi.spyOn(storage, 'notify').mockRejectedValueOnce(new Error('not told'));
    const store = new VoiceStore(storage, systemClock);
    await expect(store.deleteClone(scope, CLONE.id)).rejects.toThrow('not told');
    expect(await store.voice(scope, CLONE.id)).not.toBeNull();
    expect(await store.deleteClone(scope, 'vc_of_nobody')).toBe(false);
    expect(reported).toHaveBeenCalledTimes(1);
    expect(await store.deleteClone(scope, CLONE.id)).toBe(true);
  });

  it('is of one project and environment', () => {
    const scope = { org: 'org_a', project: 'proj_a', environment: 'live' } as TenantScope;
    const of = (other: Partial<TenantScope>) => speechCacheOwner({ ...scope, ...other });
    expect(of({})).toBe('org_a proj_a live');
    expect(new Set([of({}), of({ org: 'org_b' }), of({ project: 'proj_b' })]).size).toBe(3);
    expect(of({ environment: 'sandbox' })).toBeUndefined();
  });
});

function soundOf(pcm: Buffer): Buffer {
  let [from, to] = [0, pcm.length];
  while (from < to && pcm.readInt16LE(from) === 0) from += 2;
  while (to > from && pcm.readInt16LE(to - 2) === 0) to -= 2;
  return pcm.subarray(from, to);
}
