/** Another instance of the product and a misbehaving server make the speech of these calls. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { loadConfig } from '../../../../src/foundation/platform/config/index.ts';
import { createLog } from '../../../../src/foundation/platform/log.ts';
import { acrossTenants } from '../../../../src/foundation/storage/index.ts';
import { openVoiceProviders } from '../../../../src/main/voice-providers.ts';
import { World } from '../../../contract/world.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { agentSaid, recordOf } from './fault-helpers.ts';
import { BEHAVIOURS, openHostileVoices } from './hostile-voices.ts';
import { absent, Client, openOmni } from './server.ts';

const TEXT = 'We are open from nine until five, and you may come at any time you like.';
const CALL_RATE = 8_000;
const AUDIBLE = 300;

const world = absent ? null : await World.open();
let hostile: Awaited<ReturnType<typeof openHostileVoices>>;
let textMs = 0;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  if (world === null) return;
  const response = await fetch(`${world.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.ours.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-speak', voice: 'joe_en_us', input: TEXT, response_format: 'pcm' }),
  });
  const sound = Buffer.from(await response.arrayBuffer());
  textMs = sound.length / 48;
  hostile = await openHostileVoices(sound);
}, 120_000);
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  hostile?.close();
  await world?.stop();
});

async function callWith(entry: Record<string, unknown>) {
  const config = loadConfig({
    TRUNKLINE_VOICE_PROVIDERS: JSON.stringify([{ name: 'default', key: world!.ours.key, ...entry }]),
  });
  const { providers, close } = openVoiceProviders(config, systemClock, createLog({ level: 'silent' }));
  closing.push(close);
  const opened = await openOmni({ providers });
  const client = await new Client(opened.url).opened();
  const { call_id: id } = await client.configure({ greeting: TEXT });
  await client.silenceUntil(() => agentSaid(client) !== '');
  client.control({ type: 'end' });
  await client.closed();
  const record = await recordOf(opened, id);
  const { providers: used } = JSON.parse(record.row.turns ?? '{}') as {
    providers: { characters: number; failures: number; host: string; sound_ms: number }[];
  };
  return { opened, client, id, record, used, heard: heardIn(client) };
}

function heardIn(client: Client): { readonly ms: number; readonly longestSilenceMs: number } {
  const audio = Buffer.concat(client.audio);
  const frame = (CALL_RATE / 50) * 2;
  const audible: number[] = [];
  for (let at = 0; at + frame <= audio.length; at += frame) {
    let peak = 0;
    for (let i = at; i < at + frame; i += 2) peak = Math.max(peak, Math.abs(audio.readInt16LE(i)));
    if (peak > AUDIBLE) audible.push(at / frame);
  }
  const gaps = audible.slice(1).map((at, i) => at - audible[i]!);
  return {
    ms: ((audible.at(-1) ?? 0) - (audible[0] ?? 0)) * 20,
    longestSilenceMs: Math.max(0, ...gaps) * 20,
  };
}

describe.skipIf(absent !== '')('a voice on another instance', { timeout: 120_000 }, () => {
  it.each([
    ['openai', () => `${world!.url}/v1`, 'joe_en_us'],
    ['elevenlabs', () => `${world!.url}/elevenlabs`, 'joe_en_us'],
    ['deepgram', () => `${world!.url}/deepgram`, 'joe_en_us'],
  ])('speaks by the protocol of %s', async (kind, url, voice) => {
    const { record, used, heard } = await callWith({
      kind,
      url: url(),
      voice,
      first_audio_ms: 5_000,
      between_audio_ms: 5_000,
    });
    expect(record.degraded).toEqual([]);
    expect(record.transcript).toEqual([`agent: ${TEXT}`]);
    expect(used).toMatchObject([
      { kind: 'speech', provider: 'default', characters: TEXT.length, requests: 1, failures: 0 },
    ]);
    expect(used[0]!.host).toBe(new URL(world!.url).host);
    expect(heard.ms).toBeGreaterThan(textMs * 0.7);
    expect(heard.ms).toBeLessThan(textMs * 1.3);
  });

  const reasons: Record<string, string> = {
    whole: '',
    mute: 'voice_timeout',
    stalls: 'voice_timeout',
    'drops the connection': 'voice_unreachable',
    'ends too early': 'voice_incomplete',
    'another rate': 'voice_garbage',
    'another format': 'voice_garbage',
    silence: 'voice_incomplete',
    'does not end': 'voice_garbage',
    refuses: 'voice_refused',
    'is down': 'voice_unreachable',
    'is busy': 'voice_overloaded',
  };

  it.each(Object.keys(BEHAVIOURS))('answers all the same where it is one that %s', async (voice) => {
    const { record, used, heard } = await callWith({ kind: 'openai', url: hostile.url, voice });
    expect(record.transcript).toEqual([`agent: ${TEXT}`]);
    expect(record.degraded).toEqual(voice === 'whole' ? [] : [`voice ${reasons[voice]}`]);
    expect(used).toMatchObject([{ failures: voice === 'whole' ? 0 : 1 }]);
    expect(heard.ms).toBeGreaterThan(textMs * 0.7);
    expect(heard.ms, 'no more than some words twice').toBeLessThan(
      voice === 'does not end' ? 8_000 : textMs * 1.6,
    );
    expect(heard.longestSilenceMs, 'the local voice, within 400 ms, and a pause of its own').toBeLessThan(
      750,
    );
  });

  it('shows in the record what left, and in the ledger what it costs', async () => {
    const { opened, id } = await callWith({
      kind: 'openai',
      url: hostile.url,
      voice: 'whole',
      region: 'eu',
      usd_per_million_characters: 15,
    });
    const response = await fetch(`${opened.url}/v1/omni/calls/${String(id)}`, {
      headers: { authorization: `Bearer ${OneKeyAccess.KEY}` },
    });
    const { providers } = (await response.json()) as { providers: Record<string, unknown>[] };
    expect(providers).toEqual([
      {
        kind: 'speech',
        provider: 'default',
        name: 'default',
        credential: 'operator',
        region: 'eu',
        host: new URL(hostile.url).host,
        left_machine: false,
        requests: 1,
        characters: TEXT.length,
        sound_ms: expect.any(Number),
        failures: 0,
      },
    ]);
    const costs = await acrossTenants(opened.storage.db).selectFrom('provider_costs').selectAll().execute();
    expect(costs).toMatchObject([
      {
        resource: id,
        provider: 'default',
        credential: 'operator',
        region: 'eu',
        org_id: opened.access.principal().orgId,
        characters: TEXT.length,
        cost_micros: TEXT.length * 15,
      },
    ]);
  });
});
