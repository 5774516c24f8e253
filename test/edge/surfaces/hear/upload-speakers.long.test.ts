// @requirement Hear: The speakers of an upload are told apart by one encoder, also where an added one fails within it.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Models } from '../../../../src/foundation/platform/models/index.ts';
import { wavHeader } from '../../../../src/media/codec/index.ts';
import type { AddedEncoder, EncoderSource } from '../../../../src/media/engine/index.ts';
import { workFolder } from '../../../media/codec/recordings.ts';
import { bearer } from '../../server/fixtures/start.ts';
import { absent as absentModels, openHear, readPcm, SPEECH } from './server.ts';

const models = new Models();
const absent = absentModels || (models.status('speakers').ready ? '' : 'speakers');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);
const folder = workFolder();
afterAll(() => folder.remove());

/** The bundled network as an added encoder, by whose bounds all voices are one speaker's. */
function addedEncoder(): AddedEncoder {
  const path = join(folder.path, 'encoder');
  mkdirSync(path);
  copyFileSync(models.path('speakers/embedding.onnx'), join(path, 'encoder.onnx'));
  writeFileSync(join(path, 'encoder.conf'), 'window povey\n');
  return { id: 'ours/1', folder: path, bounds: { same: -1, sameNarrow: -1, surelySame: 1 } };
}

/** An encoder whose folder is gone after the first stretch of speech. */
function failing(encoder: AddedEncoder): EncoderSource & { readonly failures: string[] } {
  const failures: string[] = [];
  let reads = 0;
  const removed = {
    ...encoder,
    get folder() {
      reads += 1;
      return reads === 1 ? encoder.folder : join(folder.path, 'removed');
    },
  };
  return {
    failures,
    choose: () => (failures.length === 0 ? removed : null),
    failed: ({ id }) => void failures.push(id),
  };
}

/** Two people, in more than one stretch of speech. */
function talks(): Buffer {
  const { pcm, rate } = readPcm(join(SPEECH, 'azure_samples/katiesteve_mono.wav'));
  const both = Buffer.concat([pcm, Buffer.alloc(4 * rate), pcm]);
  return Buffer.concat([wavHeader({ sampleRate: rate, channels: 1, sample: 's16' }, both.length), both]);
}

describe.skipIf(absent)('the speakers of an upload', () => {
  const speakersBy = async (encoders?: EncoderSource): Promise<string[]> => {
    const { url } = await openHear(encoders === undefined ? {} : { encoders });
    const form = new FormData();
    form.append('response_format', 'diarized_json');
    form.append('language', 'en');
    form.append('file', new Blob([new Uint8Array(talks())]), 'talks.wav');
    const answer = await fetch(`${url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: bearer,
      body: form,
    });
    const { segments } = (await answer.json()) as { segments: { speaker: string }[] };
    return segments.map(({ speaker }) => speaker);
  };

  it('are those of one encoder where an added one fails within the recording', {
    timeout: 120_000,
  }, async () => {
    const encoder = addedEncoder();
    const alone = await speakersBy();
    expect([...new Set(alone)]).toEqual(['A', 'B']);
    const added = await speakersBy({ choose: () => encoder, failed: () => undefined });
    expect([...new Set(added)]).toEqual(['A']);
    const source = failing(encoder);
    const replaced = await speakersBy(source);
    expect(source.failures).toEqual(['ours/1']);
    expect(replaced).toEqual(alone);
  });
});
