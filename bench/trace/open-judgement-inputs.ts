import { Models } from '../../src/foundation/platform/models/index.ts';
import { Engine, embedTexts, Pronouncer } from '../../src/media/engine/index.ts';
import { JudgementInputCollector, zonesOf } from '../../src/products/trace/index.ts';

const VOICES: Readonly<Record<string, string>> = { en: 'en-us', fr: 'fr-fr', es: 'es', de: 'de', hi: 'hi' };

export async function openJudgementInputs(): Promise<{
  readonly collector: JudgementInputCollector;
  close(): void;
}> {
  const models = new Models();
  const pronouncer = new Pronouncer({
    library: models.path('espeak-ng/libespeak-ng.so.1'),
    data: models.folder('espeak-ng'),
  });
  const engine = new Engine({ models: models.wholeFiles(), device: 'cpu' });
  await engine.prepared();
  return {
    collector: new JudgementInputCollector({
      pronounce: (words, language) => pronouncer.pronounce(words, VOICES[language] ?? 'en-us'),
      embed: (texts) => embedTexts(engine, texts, { live: true }),
      zonesOf,
    }),
    close: () => {
      pronouncer.close();
      engine.destroy();
    },
  };
}
