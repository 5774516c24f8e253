// @requirement Brains: A whole call is answered by another instance's `/v1/realtime`, which hears the caller, and the record says what left.
import { spawnSync } from 'node:child_process';
import { afterAll, describe, expect, it } from 'vitest';
import { type Tenant, World } from '../../../contract/world.ts';
import { absent as absentAudio, ffmpeg, RECORDING } from '../../../media/codec/recordings.ts';
import { agentSaid } from './fault-helpers.ts';
import { absent, Client } from './server.ts';

const ANSWER = 'Printing costs nine cents a page.';
const PERSONA = `You are Ada, at the desk of a print shop.\n${ANSWER}`;
/** A machine that is busy with both instances may apologize for a late answer; then the caller asks again. */
const MOST_QUESTIONS = 3;
const isAbsent = Boolean(absent || absentAudio);

const model = isAbsent ? null : await World.open();
const answering = isAbsent
  ? null
  : await World.open({
      settings: {
        TRUNKLINE_BRAINS: JSON.stringify([
          {
            name: 'default',
            kind: 'realtime',
            url: `${model!.url}/v1`,
            key: model!.ours.key,
            model: 'gpt-realtime',
            first_token_ms: 20_000,
            between_tokens_ms: 20_000,
          },
        ]),
      },
    });
afterAll(async () => {
  await answering?.stop();
  await model?.stop();
});

const question = (): Buffer =>
  spawnSync(ffmpeg, ['-v', 'error', '-i', RECORDING, '-ac', '1', '-ar', '8000', '-f', 's16le', '-'], {
    maxBuffer: 1 << 26,
  }).stdout;

async function json(world: World, path: string) {
  const headers = { authorization: `Bearer ${world.ours.key}` };
  // biome-ignore lint/suspicious/noExplicitAny: records of every kind.
  return (await world.send(path, { headers })).json as any;
}

async function call(world: World, tenant: Tenant) {
  const client = await new Client(world.url, 'format=pcm16&rate=8000', tenant.key).opened();
  const { call_id: id } = await client.configure({ persona: PERSONA });
  const answers = () => client.transcripts.filter(({ role, final }) => role === 'agent' && final).length;
  for (let asked = 1; asked <= MOST_QUESTIONS && !agentSaid(client).includes(ANSWER); asked++) {
    await client.silence(0.5);
    await client.speak(question());
    await client.silenceUntil(() => answers() >= asked);
  }
  client.control({ type: 'end' });
  await client.closed();
  const path = `/v1/omni/calls/${String(id)}`;
  await expect.poll(async () => (await json(world, path)).status, { timeout: 20_000 }).toBe('completed');
  return { client, record: await json(world, path) };
}

async function transcribed(world: World, pcm: Buffer): Promise<string> {
  const wav = spawnSync(
    ffmpeg,
    ['-v', 'error', '-f', 's16le', '-ar', '8000', '-ac', '1', '-i', '-', '-f', 'wav', '-'],
    { input: pcm, maxBuffer: 1 << 26 },
  ).stdout;
  const body = new FormData();
  body.set('file', new Blob([wav]), 'heard.wav');
  body.set('model', 'whisper-1');
  const headers = { authorization: `Bearer ${world.ours.key}` };
  const { json: said } = await world.send('/v1/audio/transcriptions', { method: 'POST', headers, body });
  return String(said?.text);
}

describe.skipIf(isAbsent)('a call whose brain is another instance', { timeout: 180_000 }, () => {
  it('is answered by what that instance heard, and the record says what left', async () => {
    const { client, record } = await call(answering!, answering!.ours);
    expect(agentSaid(client)).toContain(ANSWER);
    expect(record.providers).toMatchObject([
      {
        kind: 'brain',
        provider: 'default',
        name: 'default',
        host: new URL(model!.url).host,
        left_machine: false,
        region: null,
      },
    ]);
    const [{ requests, failures, sound_ms, characters }] = record.providers;
    expect(failures).toBeLessThan(requests);
    expect(sound_ms).toBeGreaterThan(5_000);
    expect(characters).toBeGreaterThanOrEqual(ANSWER.length);
    expect(await transcribed(model!, Buffer.concat(client.audio))).toMatch(/(nine|9) cents? a page/i);

    const { data: calls } = await json(model!, '/v1/omni/calls');
    const heard: string[] = [];
    for (const { call_id: id } of calls) {
      const { transcript } = await json(model!, `/v1/omni/calls/${id}`);
      heard.push(...transcript.entries.map(({ text }: { text: string }) => text));
    }
    expect(heard, 'the other instance recognized the sound itself').toContainEqual(
      expect.stringMatching(/printing, in the only sense/i),
    );
  });
});
