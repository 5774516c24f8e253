import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Corpus } from '../../bench/omni/corpus.ts';
import { Silero } from '../../bench/omni/silero.ts';
import { noise } from '../../src/apps/caller/index.ts';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';

const missing = [
  ...(existsSync(join(import.meta.dirname, '../../../shared/speech/manifest.jsonl'))
    ? []
    : ['the recordings (../shared/speech)']),
  ...(new Models().status('silero-vad').ready ? [] : ['Silero (npx trunkline models fetch)']),
  ...(findFfmpeg(null, new Models()) ? [] : ['ffmpeg (npx trunkline models fetch)']),
];
const absent = missing.length > 0 && process.env.CI !== 'true';
if (absent) console.warn(`the test of the benchmark's Silero is skipped without ${missing.join(' and ')}`);

describe.skipIf(absent)('Silero as the peers run it', () => {
  it('hears a voice over a telephone line, and none in silence and noise', async () => {
    const silero = await Silero.open();
    const clip = new Corpus('development').speech(({ seconds }) => seconds >= 1 && seconds <= 4, 1)[0];
    if (clip === undefined) throw new Error('no recording');
    const voice = await silero.likelihoods(clip.samples);
    expect(voice).toHaveLength(Math.floor(clip.samples.length / 256));
    const spoken = voice.slice(Math.ceil(clip.startMs / 32), Math.floor(clip.endMs / 32));
    expect(spoken.filter((likelihood) => likelihood >= 0.5).length).toBeGreaterThan(spoken.length * 0.6);
    expect(Math.max(...(await silero.likelihoods(new Int16Array(16_000))))).toBeLessThan(0.1);
    const hiss = noise(2, 7).map((sample) => sample / 20);
    expect(Math.max(...(await silero.likelihoods(hiss)))).toBeLessThan(0.5);
  });
});
