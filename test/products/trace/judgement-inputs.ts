/**
 * The pronunciation program and the zones of numbers are real. The meaning model needs the engine; its absence is
 * reported.
 */
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { embedTexts, Pronouncer } from '../../../src/media/engine/index.ts';
import { JudgementInputCollector, zonesOf } from '../../../src/products/trace/index.ts';
import { afterAll } from '../../helper-hooks.ts';
import { engineWith } from '../../media/engine/engine-with.ts';

const models = new Models();
const missing = ['espeak-ng', 'minilm-l6'].filter((id) => !models.status(id).ready);
export const absent = missing.join(', ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);

let pronouncer: Pronouncer | null = null;
afterAll(() => {
  pronouncer?.close();
  pronouncer = null;
});

const VOICES: Readonly<Record<string, string>> = { en: 'en-us', fr: 'fr', es: 'es', de: 'de', hi: 'hi' };

export async function realInputs(): Promise<JudgementInputCollector> {
  const engine = engineWith();
  await engine.prepared();
  pronouncer ??= new Pronouncer({
    library: models.path('espeak-ng/libespeak-ng.so.1'),
    data: models.folder('espeak-ng'),
  });
  const spoken = pronouncer;
  return new JudgementInputCollector({
    pronounce: (words, language) => spoken.pronounce(words, VOICES[language] ?? 'en-us'),
    embed: (texts) => embedTexts(engine, texts, { live: false }),
    zonesOf,
  });
}

export const plainInputs = (): JudgementInputCollector =>
  new JudgementInputCollector({ pronounce: null, embed: null, zonesOf });
