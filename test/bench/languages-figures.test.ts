import { expect, it } from 'vitest';
import { makeFigure } from '../../bench/harness/index.ts';
import { falseSwitches, following } from '../../bench/languages/figures.ts';

const speech = (hours: number, switches: number) => ({
  seconds: hours * 3600,
  utterances: 1,
  elsewhere: 0,
  switches,
});

it('claims no rate of false switches below five hours', () => {
  expect(makeFigure(falseSwitches([speech(0.4, 0), speech(0.24, 0)]))).toMatchObject({
    name: 'false switches in 0.64 h of one-language speech, real recordings',
    value: 0,
    goal: null,
    holds: null,
  });
  expect(makeFigure(falseSwitches([speech(5, 1)]))).toMatchObject({ value: 1, goal: '<= 1', holds: true });
  expect(makeFigure(falseSwitches([speech(5, 2)])).holds).toBe(false);
});

it('misses its goal where a call follows too late', () => {
  const call = { from: 'en', to: 'es', until: 2, back: 1, wrong: 0 };
  const [second, third] = following([call, { ...call, until: 3 }]).map((figure) => makeFigure(figure));
  expect(second).toMatchObject({ value: 50, unit: '% of 2', goal: '>= 95', holds: false });
  expect(third).toMatchObject({ value: 100, holds: null });
});
