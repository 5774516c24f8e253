/**
 * Measures the similarity of any two stock voices and writes models/voice-likeness.json, by which casts choose:
 *
 *     npm run bench -- bench/cast/voice-similarity.ts
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, speechSettings } from '../../src/media/engine/index.ts';
import { isSpoken, StockVoices, stockVoice } from '../../src/speech/voices/index.ts';
import { cosine, voicePrint } from './voice-prints.ts';

const models = new Models();
const engine = new Engine({
  models: models.wholeFiles(),
  settings: speechSettings(join(models.root, '.learnt')),
});
await engine.prepared();
const voices = new StockVoices().list
  .filter((voice) => isSpoken(voice) && voice.available_on.includes('speak'))
  .sort((a, b) => (a.id < b.id ? -1 : 1));
const prints: Float32Array[] = [];
for (const voice of voices) {
  prints.push(await voicePrint(engine, stockVoice(voice)));
  console.log(voice.id);
}
const hundredths = prints.map((print, at) =>
  prints.slice(0, at).map((other) => Math.round(cosine(print, other) * 100)),
);
const table = { voices: voices.map(({ id }) => id), hundredths };
const rows = table.hundredths.map((row) => `    ${JSON.stringify(row)}`).join(',\n');
const file = join(process.cwd(), 'models/voice-likeness.json');
writeFileSync(file, `{\n  "voices": ${JSON.stringify(table.voices)},\n  "hundredths": [\n${rows}\n  ]\n}\n`);
console.log(`written to ${file}`);
engine.destroy();
