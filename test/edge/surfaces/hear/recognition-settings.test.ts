// @requirement Hear: A vocabulary changes recognition where it is active.
// @requirement Hear: A stream follows language changes at each sample rate and reports `max_utterance`.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { itLong, sampleOf } from '../../../long-tests.ts';
import { ffmpeg } from '../../../media/codec/recordings.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { absent, openHear, plain, RECORDING, SPEECH, SPOKEN, StreamClient } from './server.ts';

const GERMAN = join(SPEECH, 'thorsten/125b660d37dc16ec21d28eac29e80bcb.wav');
const TERM = 'PrinTing';

function pcmOf(path: string, rate: number): Buffer {
  const args = ['-v', 'error', '-i', path, '-ac', '1', '-ar', String(rate), '-f', 's16le', '-'];
  return spawnSync(ffmpeg, args, { maxBuffer: 2 ** 28 }).stdout;
}

const silence = (seconds: number, rate: number) => Buffer.alloc(seconds * rate * 2);

async function finalsOf(url: string, query: string, pcm: Buffer, rate = 16_000) {
  const client = new StreamClient(url, `sample_rate=${rate}&${query}`);
  await client.opened;
  client.say(pcm, rate);
  client.control({ type: 'close' });
  expect((await client.closed).code).toBe(1000);
  return client.of('final').filter(({ text }) => text !== '');
}

const textOf = (finals: readonly { text: string }[]): string => finals.map(({ text }) => text).join(' ');

describe.skipIf(absent)('speech that is streamed', () => {
  it.each(sampleOf([8000, 16_000, 24_000, 44_100, 48_000], 3))(
    'is heard at %i Hz',
    async (rate) => {
      const { url } = await openHear();
      const finals = await finalsOf(url, 'language=en', pcmOf(RECORDING, rate), rate);
      expect(plain(textOf(finals))).toContain(SPOKEN);
    },
    60_000,
  );

  it('may change its language between two utterances, where none is named', async () => {
    const { url } = await openHear();
    const said = [pcmOf(RECORDING, 16_000), silence(2, 16_000), pcmOf(GERMAN, 16_000), silence(2, 16_000)];
    const finals = await finalsOf(url, '', Buffer.concat(said));
    const text = plain(textOf(finals));
    expect(text).toContain('printing in the only sense');
    expect(text).toMatch(/betrag ist an das konto/);
  }, 60_000);

  it('is cut before 15 s of one utterance, with the reason, and goes on as another', async () => {
    const { url } = await openHear();
    const clip = pcmOf(RECORDING, 16_000);
    const finals = await finalsOf(url, 'language=en&endpointing_ms=3000', Buffer.concat([clip, clip]));
    expect(finals.map(({ endpoint_reason }) => endpoint_reason)).toEqual(['max_utterance', 'close']);
    const [first, second] = finals;
    expect(first.end - first.start).toBeLessThanOrEqual(15);
    expect(second.start).toBeGreaterThanOrEqual(first.end);
    expect(second.utterance_id).not.toBe(first.utterance_id);
    expect(plain(textOf(finals)).split('printing in the only sense')).toHaveLength(3);
  }, 60_000);
});

describe.skipIf(absent)('a vocabulary', () => {
  async function reported(batch: boolean, streaming: boolean) {
    const { url } = await openHear();
    const authorization = `Bearer ${OneKeyAccess.KEY}`;
    const stored = await fetch(`${url}/v1/hear/vocabulary`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({
        terms: [{ term: TERM }],
        batch: { active: batch },
        streaming: { active: streaming },
      }),
    });
    expect(stored.status).toBe(200);
    const form = new FormData();
    form.set('file', new Blob([readFileSync(RECORDING)]), 'recording.wav');
    form.set('model', 'svc-hear');
    form.set('language', 'en');
    const asked = { method: 'POST', headers: { authorization }, body: form };
    const { text } = (await (await fetch(`${url}/v1/audio/transcriptions`, asked)).json()) as {
      text: string;
    };
    const speech = Buffer.concat([pcmOf(RECORDING, 16_000), silence(1, 16_000)]);
    return { file: text, stream: textOf(await finalsOf(url, 'language=en', speech)) };
  }

  itLong(
    'changes files where it is active for files, and streams where for streams',
    async () => {
      const files = await reported(true, false);
      expect(files.file).toContain(TERM);
      expect(files.stream).not.toContain(TERM);
      const streams = await reported(false, true);
      expect(streams.file).not.toContain(TERM);
      expect(streams.stream).toContain(TERM);
    },
    120_000,
  );
});
