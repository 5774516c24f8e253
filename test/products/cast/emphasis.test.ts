// @requirement Cast: Emphasis comes from marks, directions, rules or a model.
import { describe, expect, it } from 'vitest';
import {
  emphasisAlone,
  emphasized,
  fittingTo,
  saysWord,
  stressed,
  withoutEmphasis,
} from '../../../src/products/cast/emphasis.ts';

const shown = (text: string): string => stressed(text).replaceAll('\uE000', '^');

describe('marks of emphasis', () => {
  it('stress each of their words, and nothing else', () => {
    expect(shown('I *never* said _that_, **you did**.')).toBe('I ^never said ^that, ^you ^did.');
    expect(shown('2 * 3 * 4, snake_case_name, 5*3*2')).toBe('2 * 3 * 4, snake_case_name, 5*3*2');
    expect(shown('*Open, and [pause 500ms] closed*')).toBe('*Open, and [pause 500ms] closed*');
    expect(withoutEmphasis('I *never* said _that_.')).toBe('I never said that.');
  });

  it('are soon read, however many begin and do not end', () => {
    expect(shown('*a '.repeat(100_000))).not.toContain('^');
    expect(emphasisAlone('_a*'.repeat(100_000))).toBe('a'.repeat(100_000));
  });
});

describe('a direction', () => {
  it('stresses the words that it names, wherever they stand, whatever their case', () => {
    expect(emphasized('Never say never, or never-ending [pause 1s].', ['never', 'pause'])).toBe(
      '*Never* say *never*, or *never*-ending [pause 1s].',
    );
    expect(emphasized('In *New York* and New York.', ['New York'])).toBe('In *New York* and *New York*.');
    expect(emphasized('What? (really)', ['What?'])).toBe('*What?* (really)');
  });

  it('keeps what the line still says', () => {
    expect(saysWord('I *never* said it.', 'never said')).toBe(true);
    expect(saysWord('Nevertheless.', 'never')).toBe(false);
    expect(fittingTo('I said it.', { pace: 0.9, emphasis: ['never'] })).toEqual({ pace: 0.9 });
    expect(fittingTo('I never said it.', { emphasis: ['never', 'ever'] })).toEqual({ emphasis: ['never'] });
  });
});
