import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { Engine, learnVoiceJob, speechSettings } from '../../../src/media/engine/index.ts';
import { isSpoken, stockVoice } from '../../../src/speech/voices/catalogue.ts';
import { designVoices } from '../../../src/speech/voices/design.ts';
import { StyleFitter } from '../../../src/speech/voices/fitter.ts';
import { StockVoices } from '../../../src/speech/voices/stock.ts';
import { absent, hasRecordings, SPEECH_FOLDER } from '../../edge/surfaces/speak/server.ts';

/**
 * A failure here means that models/known-voices.bin is of other models or voices: node scripts/learn-voices.mjs makes
 * it again.
 */
describe.skipIf(absent)('models/known-voices.bin', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'known-voices-'));
  const learnt = () => (existsSync(join(folder, 'voices')) ? readdirSync(join(folder, 'voices')) : []);
  let engine: Engine;
  beforeAll(async () => {
    engine = new Engine({ models: new Models().wholeFiles(), settings: speechSettings(folder) });
    await engine.prepared();
  }, 300_000);
  afterAll(() => {
    engine?.destroy();
    rmSync(folder, { recursive: true, force: true });
  });

  it('knows every stock voice and every voice that a design can ask for: nothing is learnt', async () => {
    const spoken = new StockVoices().list.filter(isSpoken);
    const designs = [
      'a British man',
      'an Indian woman',
      'a Spanish man',
      'a French woman',
      'an Italian man',
      '',
    ];
    const voices = [
      ...spoken.map((voice) => stockVoice(voice).engine),
      ...designs.flatMap((description) => designVoices(description, 4, 11)),
    ];
    expect(spoken.length).toBeGreaterThan(40);
    for (const voice of voices) await engine.submit(learnVoiceJob, { voice }, Buffer.alloc(0)).result();
    expect(learnt()).toEqual([]);
  });

  it.skipIf(!hasRecordings)(
    'knows every style that a clone is chosen from: only the blends are spoken',
    async () => {
      const wav = readFileSync(join(SPEECH_FOLDER, 'ljspeech/LJ001-0001.wav'));
      const pcm = Buffer.alloc(Math.floor((wav.length - 44) / 2 / 22_050) * 16_000 * 2);
      for (let i = 0; i < pcm.length / 2; i++)
        pcm.writeInt16LE(wav.readInt16LE(44 + 2 * Math.floor((i * 22_050) / 16_000)), 2 * i);
      const fitted = await new StyleFitter(engine, new StockVoices()).fit(pcm, new AbortController().signal);
      expect(fitted.measured.similarity).toBeGreaterThan(0.4);
      expect(learnt()).toEqual([]);
    },
  );
});
