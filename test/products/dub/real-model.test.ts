// @requirement Dub: Translators are Apertium, Whisper and a language model, with pivots and a glossary.
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/foundation/platform/clock.ts';
import { ModelTranslator, TRIAL, TranslationDirections } from '../../../src/products/dub/index.ts';
import { askedModel } from '../../conversation/brains/local/brain-request.ts';
import { isAbsent } from '../../conversation/brains/local/real-model.ts';

const translated = (answers: readonly string[], target: string): boolean =>
  answers.some((answer) => {
    const said = /"translation"\s*:\s*"([^"]*)"/u.exec(answer)?.[1] ?? '';
    return said.toLowerCase().includes(TRIAL[target]!.word);
  });

describe.skipIf(isAbsent)('a real local model', () => {
  const asked = askedModel({ maxTokens: 80 });

  it('is listed for the targets that it has shown to serve, and for no other', {
    timeout: 180_000,
  }, async () => {
    const { brain, answers, faults } = asked();
    const translator = new ModelTranslator(brain, { sources: ['en', 'es'], targets: ['es'] });
    const directions = new TranslationDirections({
      translators: [translator],
      clock: systemClock,
      speaks: () => true,
    });
    const list = await directions.list();
    expect(faults).toEqual([]);
    expect(answers.length).toBeGreaterThan(0);
    expect(list.map(({ source, target }) => `${source}-${target}`)).toEqual(
      translated(answers, 'es') ? ['en-es'] : [],
    );
    directions.stop();
  });
});
