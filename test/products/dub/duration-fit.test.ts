// @requirement Dub: Translated segments keep their time by rate, shorter wordings and clauses.
// @requirement Dub: The dubbed voice keeps the pace of its speaker.
import { expect, it } from 'vitest';
import { type Fitting, fitToDuration, RATES } from '../../../src/products/dub/run/duration-fit.ts';

const MS_A_LETTER = 60;

function voice(reword: Fitting['reword'] = async () => null) {
  const said: { text: string; rate: number }[] = [];
  const fitting: Fitting = {
    say: async (text, rate) => {
      said.push({ text, rate });
      const exact = (text.length * MS_A_LETTER) / rate;
      return { pcm: Buffer.alloc(0), milliseconds: rate === 1 ? exact : exact * 1.02 };
    },
    reword,
  };
  return { fitting, said };
}

const TEN = 'abcdefghij';

it('says it at the pace that ends on time', async () => {
  const { fitting } = voice();
  const fitted = await fitToDuration(TEN, { milliseconds: 550, most: 550 }, fitting);
  expect(fitted).toMatchObject({ text: TEN, fit: 'fits' });
  expect(Math.abs(fitted.milliseconds - 550)).toBeLessThanOrEqual(40);
});

it('leaves alone what is on time as it is', async () => {
  const { fitting, said } = voice();
  expect(await fitToDuration(TEN, { milliseconds: 610, most: 610 }, fitting)).toMatchObject({
    rate: 1,
    fit: 'fits',
  });
  expect(said).toHaveLength(1);
});

it('is never slower than a listener minds', async () => {
  const { fitting } = voice();
  const fitted = await fitToDuration(TEN, { milliseconds: 2000, most: 2000 }, fitting);
  expect(fitted).toMatchObject({ rate: RATES.least, fit: 'short' });
});

it('goes on into the pause behind where that is enough', async () => {
  const { fitting } = voice();
  const fitted = await fitToDuration(TEN, { milliseconds: 400, most: 560 }, fitting);
  expect(fitted).toMatchObject({ text: TEN, fit: 'long' });
  expect(fitted.milliseconds).toBeLessThanOrEqual(560);
  expect(fitted.rate).toBeLessThanOrEqual(RATES.most);
});

it('asks for a shorter wording before it cuts', async () => {
  const asked: number[] = [];
  const { fitting } = voice(async (most) => {
    asked.push(most);
    return 'abcde';
  });
  const fitted = await fitToDuration(TEN, { milliseconds: 300, most: 300 }, fitting);
  expect(asked).toEqual([5]);
  expect(fitted).toMatchObject({ text: 'abcde', fit: 'reworded' });
});

it('cuts at a clause, and never says more than there is time for', async () => {
  const { fitting } = voice(
    async () => 'This wording is longer than the one before, which helps nobody at all.',
  );
  const text = 'We went home early, because it rained all day, and nobody came.';
  const fitted = await fitToDuration(text, { milliseconds: 1000, most: 1100 }, fitting);
  expect(fitted).toMatchObject({ text: 'We went home early,', fit: 'cut' });
  expect(fitted.milliseconds).toBeLessThanOrEqual(1100);
});

it('cuts a Chinese text at its own marks, which no space follows', async () => {
  const { fitting } = voice();
  const text = '我们提前回家了，因为下了一整天的雨，所以谁也没有来。';
  const fitted = await fitToDuration(text, { milliseconds: 1000, most: 1100 }, fitting);
  expect(fitted).toMatchObject({ text: '我们提前回家了，因为下了一整天的雨，', fit: 'cut' });
});

it('cuts between words where the first clause is too long itself', async () => {
  const { fitting } = voice();
  const fitted = await fitToDuration(
    'one two three four five six seven',
    { milliseconds: 600, most: 600 },
    fitting,
  );
  expect(fitted).toMatchObject({ text: 'one two', fit: 'cut' });
});
