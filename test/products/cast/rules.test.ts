// @requirement Cast: Rules direct a script by notes, punctuation, speech acts and a lexicon.
// @requirement Cast: Emphasis comes from marks, directions, rules or a model.
import { describe, expect, it } from 'vitest';
import { CONTROL_NAMES, CONTROLS, EMOTIONS, type ScriptedLine } from '../../../src/products/cast/contract.ts';
import { directByRules } from '../../../src/products/cast/direction/rules.ts';

const line = (text: string, note: string | null = null, speaker = 'ANNA'): ScriptedLine => ({
  id: 'line_1',
  speaker,
  text,
  voice: null,
  chapter: null,
  note,
  direction: {},
  directed_by: null,
  seed: 0,
});
const direct = (text: string, note: string | null = null, before?: ScriptedLine) =>
  directByRules(line(text, note), before, 'en', EMOTIONS);

describe('direction by rules', () => {
  it('follows the writer’s notes', () => {
    expect(direct('Come here.', 'whispering')).toMatchObject({ energy_db: -7, pace: 0.93 });
    expect(direct('Come here.', 'tired, quietly')).toMatchObject({ energy_db: -6.5, pace: 0.86 });
    expect(direct('Come here.', 'angrily')).toMatchObject({ emotion: 'serious' });
  });

  it('follows marks', () => {
    expect(direct('Are you there?').melody).toBeGreaterThan(1);
    expect(direct('Stop!').energy_db).toBeGreaterThan(0);
    expect(direct('I wonder…').pace).toBeLessThan(1);
    expect(direct('GET OUT OF HERE').energy_db).toBeGreaterThan(0);
    expect(direct('The NASA report.')).toEqual({});
  });

  it('follows what is done in saying it, and what words are about', () => {
    expect(direct('I’m sorry about that.')).toMatchObject({ emotion: 'warm' });
    expect(direct('Thank you so much.')).toMatchObject({ emotion: 'warm' });
    expect(direct('They died alone.')).toMatchObject({ emotion: 'sad' });
    expect(direct('The table is in the other room.')).toEqual({});
  });

  it('stresses what stands out: capitals, a contrast, words that are never said lightly', () => {
    expect(direct('I said NOT today, NASA.').emphasis).toEqual(['NOT']);
    expect(direct('It is not red but blue.').emphasis).toEqual(['red', 'blue']);
    expect(direct('You will never see it, absolutely.').emphasis).toEqual(['never']);
    expect(direct('GET OUT OF HERE NOW').emphasis).toBeUndefined();
    expect(direct('I have *never* been there.').emphasis, 'the writer stressed it').toBeUndefined();
  });

  it('lets who is cut short be interrupted', () => {
    const before = line('But I only wanted to—', null, 'BEN');
    expect(direct('No.', null, before).pause_before_ms).toBeLessThan(0);
    expect(direct('No.', null, line('Is it?', null, 'BEN')).pause_before_ms).toBeLessThan(300);
    expect(direct('No.', null, line('It is.', null, 'BEN')).pause_before_ms).toBeUndefined();
  });

  it('names no emotion that the voice does not have', () => {
    expect(directByRules(line('They died alone.'), undefined, 'en', ['neutral'])).toEqual({});
  });

  it('stays inside what the engine renders, whatever is written', () => {
    const texts = ['GET DOWN NOW!!', '…', 'Wonderful! Amazing! Hooray!', '؟', '💥💥', 'x'.repeat(2000)];
    const notes = ['shouting angrily, quickly, excited, urgent', 'whisper softly tired slowly low', null];
    for (const text of texts)
      for (const note of notes) {
        const direction = direct(text, note);
        for (const name of CONTROL_NAMES) {
          const value = direction[name] ?? CONTROLS[name].default;
          expect(value).toBeGreaterThanOrEqual(CONTROLS[name].least);
          expect(value).toBeLessThanOrEqual(CONTROLS[name].most);
        }
      }
  });

  it('directs a language without a lexicon by its marks', () => {
    expect(directByRules(line('Es ist gut!'), undefined, 'de', EMOTIONS).energy_db).toBeGreaterThan(0);
  });
});
