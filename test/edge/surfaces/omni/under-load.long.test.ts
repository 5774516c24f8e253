import { describe, expect, it } from 'vitest';
import type { TenantScope } from '../../../../src/foundation/access/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import type { Storage } from '../../../../src/foundation/storage/index.ts';
import { StockVoices, VoiceCatalogue, VoiceStore } from '../../../../src/speech/voices/index.ts';
import { agentSaid, hangUp, openAgent } from './agent.ts';
import { absent, type Client } from './server.ts';

const NATURAL = 'heart_en_us';
const STANDARD = 'joe_en_us';
const SMALL = { capacity: 1330 };
const MAY = { voice_id: NATURAL, voice_under_load: STANDARD };

const clone = (id: string) =>
  ({
    id,
    name: 'Somebody',
    source: 'clone',
    engine: { model: 'piper', language: 'en', accent: 'en-us', styles: [] },
    meta: {},
  }) as const;
const [OURS, THEIRS] = ['vc_00000000000000000001', 'vc_00000000000000000002'] as const;

const ownVoices = (storage: Storage) => {
  const catalogue = new VoiceCatalogue(new StockVoices(), new VoiceStore(storage, systemClock));
  return (scope: TenantScope, name: string | undefined) => catalogue.resolve(scope, name);
};

const open = (body = {}) => openAgent({ ...MAY, ...body }, { engine: SMALL, voices: ownVoices });
type Opened = Awaited<ReturnType<typeof open>>;

const counts = (opened: Opened, used: number) =>
  expect.poll(() => opened.engine.stats().used, { timeout: 5_000 }).toBe(used);

const refusedCall = (opened: Opened, configure = {}): Promise<unknown> =>
  opened.connect(configure).then(
    ({ ack }) => ack,
    (error: unknown) => String(error),
  );

const changed = async (client: Client, message: object) => {
  const before = client.controls.length;
  client.control({ type: 'configure', ...message });
  return await client.until(() => client.controls.slice(before).find(({ event }) => event === 'configured'));
};

describe.skipIf(Boolean(absent))('a voice under load', () => {
  it('begins calls where one more of the agent’s own would fill the machine, and they say so', {
    timeout: 120_000,
  }, async () => {
    const opened = await open({ greeting: 'Good morning.' });
    await counts(opened, 0);
    const own = { voice_id: NATURAL, voice_tier: 'natural', voice_gave_way: false };
    const gave = { voice_id: STANDARD, voice_tier: 'standard', voice_gave_way: true };
    const first = await opened.connect();
    const second = await opened.connect();
    expect([first.ack, second.ack]).toMatchObject([own, own]);
    const third = await opened.connect();
    expect(third.ack, 'its own would fit').toMatchObject(gave);
    await counts(opened, 400 + 400 + 200);
    const never = { voice_under_load: null };
    expect(await refusedCall(opened, never), 'without leave').toMatch(/1013.*"code":"capacity"/);
    const fourth = await opened.connect();
    expect(fourth.ack, 'its own would not fit').toMatchObject(gave);
    expect(await refusedCall(opened), 'not even that fits').toMatch(/1013.*"code":"capacity"/);
    await agentSaid(third.client, /Good morning/);
    await hangUp(first.client);
    await hangUp(second.client);
    await counts(opened, 400);
    const fifth = await opened.connect();
    expect(fifth.ack, 'the load is over').toMatchObject(own);
    for (const { client } of [third, fourth, fifth]) await hangUp(client);
    expect(await opened.record(third.ack.call_id)).toMatchObject({ ...gave, agent_id: opened.agent.id });
    expect(await opened.record(fifth.ack.call_id)).toMatchObject(own);
    const shown = await opened.metrics.text();
    expect(shown).toMatch(/^trunkline_omni_voice_fallbacks_total 2$/m);
    expect(shown).toMatch(/^trunkline_omni_voices_gave_way_total 2$/m);
  });

  it('stays with the call until another is asked for, and the call costs what it speaks with', {
    timeout: 120_000,
  }, async () => {
    const opened = await open();
    await counts(opened, 0);
    const joe = { voice_id: STANDARD };
    const calls = [];
    for (let n = 0; n < 6; n++) calls.push(await opened.connect(joe));
    expect(
      calls.every(({ ack }) => ack.voice_gave_way === false),
      'it is their own',
    ).toBe(true);
    await counts(opened, 6 * 200);
    const [first, second] = calls as [(typeof calls)[0], (typeof calls)[0]];
    expect(await changed(first.client, { voice_id: NATURAL })).toMatchObject({ voice_id: NATURAL });
    await counts(opened, 5 * 200 + 400);
    first.client.control({ type: 'say', text: 'Still here.' });
    await agentSaid(first.client, /Still here/);
    await hangUp(second.client);
    await counts(opened, 4 * 200 + 400);
    expect(await refusedCall(opened, joe), 'one more would else be let in').toMatch(
      /1013.*"code":"capacity"/,
    );
    await changed(first.client, joe);
    await counts(opened, 5 * 200);
    calls.push(await opened.connect(joe));
    for (const { client } of calls.filter(({ client: { closeCode } }) => closeCode === null))
      await hangUp(client);
  });

  it('costs with the next voice what the lock on the caller costs', {
    timeout: 120_000,
  }, async () => {
    const opened = await open({ primary_speaker: true });
    const { client } = await opened.connect({ voice_id: STANDARD });
    await counts(opened, 200 + 20);
    await changed(client, { voice_id: NATURAL });
    await counts(opened, 400 + 20);
    await hangUp(client);
  });

  it('that gave way goes with the next voice, and can’t be allowed in mid-session', {
    timeout: 60_000,
  }, async () => {
    const opened = await open();
    await counts(opened, 0);
    const calls = [await opened.connect(), await opened.connect(), await opened.connect()];
    const { client, ack } = calls[2]!;
    expect(ack.voice_gave_way).toBe(true);
    expect(await changed(client, { persona: 'You are Joe.' })).toMatchObject({
      voice_id: STANDARD,
      voice_gave_way: true,
    });
    const other = await changed(client, { voice_id: NATURAL, voice_under_load: STANDARD });
    expect(other).toMatchObject({ voice_id: NATURAL, voice_gave_way: false });
    expect(await client.event('error')).toMatchObject({
      error: { code: 'invalid_request', param: 'voice_under_load' },
    });
    for (const one of calls) await hangUp(one.client);
    const record = await opened.record(ack.call_id);
    expect(record, 'it began so').toMatchObject({ voice_id: NATURAL, voice_gave_way: true });
  });

  it.each([
    ['nobody', 'voice_not_found'],
    ['__proto__', 'voice_not_found'],
    ['', 'voice_not_found'],
    [THEIRS, 'voice_not_found'],
    [OURS, 'invalid_request'],
    [NATURAL, 'invalid_request'],
    ['dora_es_es', 'invalid_request'],
  ])('is a Standard one of the language, which %j is not', async (voice_under_load, code) => {
    const opened = await open();
    const store = new VoiceStore(opened.storage, systemClock);
    await store.addVoice(opened.scope, clone(OURS));
    await store.addVoice({ ...opened.scope, org: 'org_other' }, clone(THEIRS));
    const { client, ack } = await opened.connect({ voice_under_load });
    expect(ack, 'the call goes on with its own').toMatchObject({ voice_id: NATURAL, voice_gave_way: false });
    expect(await client.event('error')).toMatchObject({ error: { code, param: 'voice_under_load' } });
    expect(opened.lanes.at(-1)).not.toHaveProperty('voiceUnderLoad');
    await hangUp(client);
    const saved = opened.services.agents.create(opened.scope, { name: 'Bad', voice_under_load }, false);
    await expect(saved).rejects.toMatchObject({ code, param: 'voice_under_load' });
  });
});
