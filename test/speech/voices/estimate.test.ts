import { expect, it } from 'vitest';
import { estimatedMs } from '../../../src/speech/voices/index.ts';

it.each([
  ['Good morning, everybody.', 1500],
  ['河水沿着古老的城墙流淌，人们傍晚在那里散步。', 5200],
  ['川は古い壁に沿って流れ、人々は夕方そこを歩く。', 5000],
  ['¥1234', 1600],
])('estimates no less than %s takes', (text, spokenMs) => {
  expect(estimatedMs(text)).toBeGreaterThanOrEqual(spokenMs);
  expect(estimatedMs(text)).toBeLessThan(3 * spokenMs);
  expect(estimatedMs(text, 2)).toBe(Math.ceil(estimatedMs(text) / 2));
});
