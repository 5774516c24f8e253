// @requirement Fair use: Clones pass admission, caps and metering.
// @requirement Speak: Cloned voices are created with consent, listed and deleted.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/foundation/platform/errors.ts';
import { wavHeader } from '../../../../src/media/codec/index.ts';
import type { VoiceFitter } from '../../../../src/speech/voices/index.ts';
import { scopeFor } from '../../../foundation/access/tenant-scopes.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { nextJob, sendForm, startSlowUploads } from '../../server/fixtures/slow-uploads.ts';
import { absent, codeOf, hasRecordings, SPEECH_FOLDER, speakWorld } from './server.ts';

const placeOf = (orgId: string) => scopeFor(orgId, new OneKeyAccess().principal());

const RATE = 16_000;

function wav(samples: Int16Array): Blob {
  const header = wavHeader({ sampleRate: RATE, channels: 1, sample: 's16' } as never, samples.byteLength);
  return new Blob([header as never, samples as never], { type: 'audio/wav' });
}

function noise(seconds: number, amplitude: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: seconds * RATE }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return ((state / 2 ** 31 - 1) * amplitude) | 0;
  });
}

function tone(seconds: number, amplitude: number): Int16Array {
  return Int16Array.from({ length: seconds * RATE }, (_, i) => {
    const turn = (2 * Math.PI * 180 * i) / RATE;
    return (amplitude * (Math.sin(turn) + Math.sin(2 * turn) / 2 + Math.sin(3 * turn) / 3)) / 2;
  });
}

function formWith(file: Blob, consent = 'true', name = 'Somebody'): FormData {
  const form = new FormData();
  form.set('name', name);
  form.set('consent', consent);
  form.set('file', file, 'voice.wav');
  return form;
}

function realSpeech(): Blob | undefined {
  const folder = join(SPEECH_FOLDER, 'ljspeech');
  const name = hasRecordings ? readdirSync(folder).find((file) => /\.(wav|flac)$/.test(file)) : undefined;
  return name ? new Blob([readFileSync(join(folder, name)) as never]) : undefined;
}

/** Resamples to 16 kHz by nearest sample, which is good enough for speaker similarity. */
function recording(file: string): Int16Array {
  const bytes = readFileSync(join(SPEECH_FOLDER, file));
  const rate = bytes.readUInt32LE(24);
  const data = bytes.indexOf('data') + 8;
  const count = Math.floor(((bytes.length - data) / 2 / rate) * RATE);
  return Int16Array.from({ length: count }, (_, i) =>
    bytes.readInt16LE(data + 2 * Math.floor((i * rate) / RATE)),
  );
}

describe.skipIf(absent)('/v1/voice/clones', () => {
  const world = speakWorld();

  it('needs consent', async () => {
    const { send } = await world().serve();
    const response = await send('POST', '/v1/voice/clones', formWith(wav(noise(1, 100)), 'false'));
    expect(await codeOf(response)).toBe('invalid_request');
  });

  const refusal = async (samples: Int16Array) => {
    const { send } = await world().serve();
    const response = await send('POST', '/v1/voice/clones', formWith(wav(samples)));
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([400, 'invalid_voice_sample']);
    return error.message;
  };
  const inBursts = (samples: Int16Array) =>
    samples.map((value, i) => (Math.floor(i / RATE) % 2 === 0 ? value : 0));

  it.each([
    ['silence', new Int16Array(RATE * 5)],
    ['noise', noise(10, 4000)],
    ['noise in bursts', inBursts(noise(20, 4000))],
    ['a tone in bursts', inBursts(tone(20, 4000))],
  ])('says that there is no speech in %s', async (_, samples) => {
    expect(await refusal(samples)).toMatch(/no speech/i);
  });

  // @requirement Fair use: Decoding slots are shared fairly between tenants and uses, once an upload is whole.
  it('reads a recording while more uploads than there are places in decoding come slowly', async () => {
    const { url, send } = await world().serve();
    const leave = await startSlowUploads(`${url}/v1/voice/clones`, formWith(wav(noise(5, 4000))), 3);
    const response = await send('POST', '/v1/voice/clones', formWith(wav(noise(5, 4000))));
    expect(await codeOf(response)).toBe('invalid_voice_sample');
    await leave();
  });

  const withSpeech = it.skipIf(!hasRecordings && process.env.CI !== 'true');

  withSpeech('says that a recording is too short, too long, or too noisy', { timeout: 60_000 }, async () => {
    const speech = recording('ljspeech/LJ001-0001.wav');
    expect(await refusal(speech.subarray(0, 2 * RATE))).toMatch(/too short: it has [12]\.\d s/);
    const long = Int16Array.from({ length: 200 * RATE }, (_, i) => speech[i % speech.length]!);
    expect(await refusal(long)).toMatch(/too long/);
    const under = noise(Math.ceil(speech.length / RATE), 2500);
    expect(await refusal(speech.map((value, i) => value / 2 + under[i]! / 2))).toMatch(/too noisy/);
  });

  withSpeech('says that several people speak', async () => {
    const { send } = await world().serve();
    const woman = recording('ljspeech/LJ001-0001.wav');
    const man = recording('thorsten/125b660d37dc16ec21d28eac29e80bcb.wav');
    const men = Math.ceil(woman.length / man.length);
    const both = new Int16Array(woman.length + men * man.length);
    both.set(woman);
    for (let i = 0; i < men; i++) both.set(man, woman.length + i * man.length);
    const response = await send('POST', '/v1/voice/clones', formWith(wav(both)));
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([400, 'invalid_voice_sample']);
    expect(error.message).toMatch(/several speakers/);
  });

  it('warns where a clone is no more similar than another speaker', async () => {
    const styles = [{ name: 'af_heart', share: 1 }];
    for (const similarity of [0.31, 0.6]) {
      const fitter: VoiceFitter = {
        fit: async () => ({
          voice: { model: 'kokoro', language: 'en', accent: 'en-us', styles },
          measured: { similarity },
        }),
      };
      const { send } = await world().serve('org_e0000000000000000000', { fitter });
      const response = await send('POST', '/v1/voice/clones', formWith(wav(noise(1, 100))));
      expect(response.status).toBe(201);
      const clone = await response.json();
      expect(clone).toMatchObject({ similarity, note: expect.stringMatching(/similar voice/) });
      if (similarity < 0.5) expect(clone).toMatchObject({ warning: expect.stringMatching(/is low: 0\.31/) });
      else expect(clone).not.toHaveProperty('warning');
    }
  });

  it('is admitted before it is decoded, and asked again for its length before it is fitted', async () => {
    let fitted = 0;
    const fitter: VoiceFitter = {
      fit: async () => {
        fitted += 1;
        throw new Error('nobody may fit this');
      },
    };
    const { send, access } = await world().serve('org_e1000000000000000000', { fitter });
    const before = world().events.length;
    const spent = () => {
      throw new ApiError('credit_exhausted', 'No credit is left.');
    };
    const clone = (file: Blob) => send('POST', '/v1/voice/clones', formWith(file));
    const { admit } = access;
    access.admit = async () => spent();
    expect((await clone(new Blob(['not audio at all, only words']))).status).toBe(402);
    const asked: unknown[] = [];
    access.admit = async (principal, use, options) => {
      asked.push(use, options);
      const recheck = async (milliseconds: number) => {
        asked.push(milliseconds);
        return spent();
      };
      return { ...(await admit(principal, use, options)), recheck };
    };
    expect((await clone(wav(noise(2, 100)))).status).toBe(402);
    expect(asked).toEqual(['speak.clone', { realtime: false }, 2000]);
    expect(fitted).toBe(0);
    expect(world().events.slice(before)).toEqual([]);
    await expect.poll(() => access.released).toBe(1);
    expect(access.admitted).toBe(1);
  });

  it('says that bytes are no audio', async () => {
    const { send } = await world().serve();
    const response = await send(
      'POST',
      '/v1/voice/clones',
      formWith(new Blob(['not audio at all, only words'])),
    );
    expect(await codeOf(response)).toBe('invalid_audio');
  });

  withSpeech(
    'gives up, and stores nothing, when the client leaves while its voice is fitted',
    { timeout: 120_000 },
    async () => {
      const { url, server, send } = await world().serve('org_c0000000000000000000');
      const begun = nextJob('fit_voice');
      const client = await sendForm(`${url}/v1/voice/clones`, formWith(realSpeech()!));
      const job = await begun;
      await client.leave();
      await expect(job.done).rejects.toMatchObject({ message: 'The work was cancelled.' });
      await expect.poll(() => server.activeRequests()).toBe(0);
      expect(await (await send('GET', '/v1/voice/clones')).json()).toEqual({ object: 'list', data: [] });
    },
  );

  withSpeech(
    'fits a similar voice that speaks until it is deleted, for its organization alone',
    { timeout: 300_000 },
    async () => {
      const ours = await world().serve('org_a0000000000000000000');
      const theirs = await world().serve('org_b0000000000000000000');
      const response = await ours.send('POST', '/v1/voice/clones', formWith(realSpeech()!));
      expect(response.status).toBe(201);
      const clone = (await response.json()) as { id: string; similarity: number };
      expect(clone).toMatchObject({
        id: expect.stringMatching(/^vc_/),
        object: 'voice',
        name: 'Somebody',
        note: expect.stringMatching(/^A similar voice.* not a copy/),
      });
      expect(clone.similarity).toBeGreaterThan(0.5);
      expect(clone.similarity).toBeLessThanOrEqual(1);
      expect(clone).not.toHaveProperty('warning');
      expect(await ours.voices.find(placeOf('org_a0000000000000000000'), clone.id)).toEqual(clone);
      const list = async (who: typeof ours) =>
        ((await (await who.send('GET', '/v1/voice/clones')).json()) as { data: { id: string }[] }).data.map(
          ({ id }) => id,
        );
      expect(await list(ours)).toEqual([clone.id]);
      expect(await list(theirs)).toEqual([]);
      const say = { input: 'Hi.', voice: clone.id, response_format: 'pcm', stream: false };
      expect((await ours.speak(say)).status).toBe(200);
      expect(await codeOf(await theirs.send('DELETE', `/v1/voice/clones/${clone.id}`))).toBe(
        'voice_not_found',
      );
      const deleted = await ours.send('DELETE', `/v1/voice/clones/${clone.id}`);
      expect(await deleted.json()).toEqual({ id: clone.id, object: 'voice', deleted: true });
      expect(await codeOf(await ours.speak(say))).toBe('voice_not_found');
      expect(await codeOf(await ours.send('DELETE', `/v1/voice/clones/${clone.id}`))).toBe('voice_not_found');
    },
  );
});
