import { describe, expect, it } from 'vitest';
import { SERVED_LANGUAGES } from '../../../src/conversation/calls/index.ts';
import { readManifest } from '../../../src/foundation/platform/models/index.ts';
import { StockVoices } from '../../../src/speech/voices/stock.ts';

const voices = new StockVoices();

describe('the table of stock voices', () => {
  it('names only styles and models that the manifest has', () => {
    const models = readManifest();
    const files = new Set(models.flatMap((model) => model.files.map((file) => file.path)));
    for (const { id, synthesis } of voices.list) {
      expect(
        models.some((model) => model.id === synthesis.model),
        id,
      ).toBe(true);
      if (synthesis.style) expect(files.has(synthesis.style), id).toBe(true);
    }
  });

  it('has every style table of the manifest in one voice at least', () => {
    const styles = readManifest().flatMap((model) =>
      model.files.map(({ path }) => path).filter((path) => path.includes('/voices/')),
    );
    const used = new Set(voices.list.map(({ synthesis }) => synthesis.style));
    expect(styles.filter((style) => !used.has(style))).toEqual([]);
    expect(styles).toHaveLength(54);
  });

  it('offers on no product what has no phonemes', () => {
    for (const voice of voices.list) {
      if (!voice.synthesis.phonemes) expect(voice.available_on, voice.id).toEqual([]);
    }
  });

  it('offers in Omni the voices of its languages, and no other', () => {
    const served: readonly string[] = SERVED_LANGUAGES;
    for (const { id, language, available_on } of voices.list)
      if (available_on.length > 0) expect(available_on.includes('omni'), id).toBe(served.includes(language));
  });

  it('makes every id ending in _en_in an Indian-English voice', () => {
    const indian = voices.list.filter(({ id }) => id.endsWith('_en_in'));
    expect(indian.length).toBeGreaterThan(0);
    for (const voice of indian) expect(voice).toMatchObject({ language: 'en', region: 'india' });
  });
});

describe('resolving a voice', () => {
  it.each([
    ['en1', 'heart_en_us', 'natural'],
    ['hi1', 'alpha_hi_in', 'standard'],
    ['hi4', 'psi_hi_in', 'standard'],
    ['es3', 'santa_es_es', 'standard'],
    ['fr1', 'siwis_fr_fr', 'standard'],
    ['heart_en_us', 'heart_en_us', 'natural'],
  ])('serves %s as %s', (name, id, tier) => {
    expect(voices.resolve(name)).toMatchObject({ id, tier });
  });

  it.each(['hi99', 'hi0', 'hi', 'HI1', 'hi_1', 'hi-2', 'gamma_hi_in', 'ALPHA_HI_IN'])(
    'serves %s, a bad Hindi id, with the default Hindi voice',
    (name) => {
      expect(voices.resolve(name).id).toBe('alpha_hi_in');
    },
  );

  it.each(['hi5', 'hi6', 'hi7', 'hi8'])('says that %s was retired', (name) => {
    expect(() => voices.resolve(name)).toThrow(
      expect.objectContaining({ code: 'voice_retired', status: 410 }),
    );
  });

  it.each(['', 'en2', 'nobody', 'hindi', '__proto__', 'hi1_en_us', 'shi1'])("refuses '%s'", (name) => {
    expect(() => voices.resolve(name)).toThrow(
      expect.objectContaining({ code: 'voice_not_found', status: 404 }),
    );
  });

  it('has a default for each language that it speaks', () => {
    const spoken = new Set(
      voices.list.filter((voice) => voice.available_on.length > 0).map((voice) => voice.language),
    );
    for (const language of spoken) expect(voices.defaultFor(language)?.language).toBe(language);
    expect(voices.default.id).toBe('heart_en_us');
    expect(voices.defaultFor('ko')).toBeUndefined();
  });
});
