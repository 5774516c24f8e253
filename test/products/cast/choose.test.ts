// @requirement Cast: Two speakers of a scene have voices of a similarity below 0.5.
import { describe, expect, it } from 'vitest';
import { chooseVoices, nearestTo } from '../../../src/products/cast/casting/choose.ts';
import { DISTINCT_BELOW, VoiceSimilarity } from '../../../src/products/cast/casting/voice-similarity.ts';
import { StockVoices, stockVoice } from '../../../src/speech/voices/index.ts';

const similarity = new VoiceSimilarity();
const stock = new StockVoices();
const english = stock.list.filter(({ language, tier }) => language === 'en' && tier === 'natural');
const speakers = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ name: `S${at}`, gender: null }));

describe('the table of likeness', () => {
  it('has every voice that a cast chooses by itself', () => {
    // Only its owner gives a cast the light voice, which does not stress words. Chinese and Japanese voices are not in the table.
    const cast = stock.list.filter(
      (voice) =>
        voice.available_on.includes('cast') &&
        stockVoice(voice).engine.model !== 'hibari' &&
        !['zh', 'ja'].includes(voice.language),
    );
    expect(cast.length).toBeGreaterThan(40);
    for (const { id } of cast) expect(similarity.between(id, 'heart_en_us'), id).not.toBeNull();
  });

  it('is 1 for a voice with itself, and has no unknown voice', () => {
    expect(similarity.between('heart_en_us', 'heart_en_us')).toBe(1);
    expect(similarity.between('heart_en_us', 'vc_nobody')).toBeNull();
    expect(similarity.between('heart_en_us', 'michael_en_us')).toBe(
      similarity.between('michael_en_us', 'heart_en_us'),
    );
  });
});

describe('the choice of voices', () => {
  it.each([2, 3, 4, 5, 6])('gives %i speakers voices of which no two are alike', (count) => {
    const chosen = chooseVoices(speakers(count), english, [], similarity).map(({ voice }) => voice);
    for (const [at, one] of chosen.entries())
      for (const other of chosen.slice(0, at))
        expect(similarity.between(one, other)).toBeLessThan(DISTINCT_BELOW);
  });

  it('sets few speakers farther apart than many can be', () => {
    const three = chooseVoices(
      ['a', 'b', 'c'].map((name) => ({ name, gender: null })),
      english,
      [],
      similarity,
    );
    for (const { nearest } of three) expect(nearest?.similarity ?? 0).toBeLessThan(0.3);
  });

  it('keeps away from voices that are taken, and keeps to a gender', () => {
    const [chosen] = chooseVoices([{ name: 'A', gender: 'male' }], english, ['heart_en_us'], similarity);
    expect(english.find(({ id }) => id === chosen!.voice)!.gender).toBe('male');
    expect(nearestTo(chosen!.voice, ['heart_en_us'], similarity)!.similarity).toBeLessThan(DISTINCT_BELOW);
  });

  it('chooses the same every time, and for more speakers than there are voices', () => {
    const many = chooseVoices(speakers(50), english, [], similarity);
    expect(many).toHaveLength(50);
    expect(chooseVoices(speakers(50), english, [], similarity)).toEqual(many);
  });
});
