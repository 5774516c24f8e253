// @requirement Dub: Voices resemble their speakers, and a clone needs consent.
// @requirement Provenance: Dubs and calls carry the watermark.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openStorage } from '../../../../src/foundation/storage/index.ts';
import { WATERMARK_RATE } from '../../../../src/media/engine/index.ts';
import { readProvenance } from '../../../../src/products/provenance/index.ts';
import { engineRecognizer, engineVoices } from '../../../../src/speech/transcription/index.ts';
import { ffmpeg, absent as noRecordings, RECORDING } from '../../../media/codec/recordings.ts';
import { sharedEngine } from '../../../media/engine/shared-engine.ts';
import { absent } from '../speak/server.ts';
import { Phrasebook, stage } from './server.ts';

const SPANISH =
  'La imprenta, que es el arte del que vamos a hablar ahora, se distingue de casi todas las demás artes y oficios.';

class Fixed extends Phrasebook {
  override async translate(_offer: unknown, { text }: { readonly text: string }): Promise<string> {
    this.asked.push(text);
    return SPANISH;
  }
}

it.skipIf(Boolean(absent ?? noRecordings))(
  'with consent a speaker is spoken for by a voice like theirs, which carries the mark in the file',
  async () => {
    const storage = await openStorage({ dataDir: ':memory:' });
    const undo: (() => unknown)[] = [() => storage.close()];
    try {
      const engine = sharedEngine();
      await engine.prepared();
      const { upload, ended, send, fetchFile, access, marks } = await stage({
        storage,
        script: () => ({ text: '' }),
        translators: [new Fixed('model', {})],
        after: (step) => undo.push(step),
        secret: 'a deployment',
        hears: { recognizer: engineRecognizer(engine), voiceReader: engineVoices(engine) },
      });
      const fields = { source: 'en', target: 'es', format: 'mp3', consent: 'true', background: 'none' };
      const { body } = await upload(readFileSync(RECORDING), fields);
      expect(await ended(body.id)).toMatchObject({
        status: 'done',
        speakers: [{ voice: null, likeness: expect.any(Number) }],
      });
      const { data } = (await send('GET', `/v1/dub/${body.id}/segments`)).body;
      for (const { spoken } of data) expect(spoken).toMatchObject({ voice: expect.stringMatching(/^like /) });
      const file = Buffer.from(await (await fetchFile(`/v1/dub/${body.id}/download`)).arrayBuffer());
      const flags = [
        '-loglevel',
        'error',
        '-i',
        'pipe:0',
        '-ar',
        `${WATERMARK_RATE}`,
        '-ac',
        '1',
        '-f',
        's16le',
      ];
      const pcm = spawnSync(ffmpeg, [...flags, 'pipe:1'], { input: file, maxBuffer: 1e8 }).stdout;
      const { orgId } = access.principal();
      const look = (org: string) => readProvenance(engine, pcm, marks!.codeOf(org));
      expect(await look(orgId)).toMatchObject({ marked: true, ours: true });
      // The part of the watermark that all organizations share may be too weak to detect in so little speech.
      expect(await look('org_other')).toMatchObject({ ours: false });
    } finally {
      for (const step of undo.reverse()) await step();
    }
  },
  300_000,
);
