import { expect, it } from 'vitest';
import { AnswerAdmission } from '../../../../src/conversation/brains/local/answer-admission.ts';
import { ManualClock } from '../../../foundation/platform/manual-clock.ts';

function opened(least: number, alone: number) {
  const clock = new ManualClock();
  const admission = new AnswerAdmission(clock, least);
  admission.recordRate(1, alone);
  return { admission, clock };
}

it('divides what was measured alone, until more at once were measured', () => {
  const { admission } = opened(6, 15);
  expect(admission.refusal()).toBeNull();
  admission.admit();
  expect(admission.refusal()).toBeNull();
  const second = admission.admit();
  expect(admission.refusal()).toBe(
    'one more answer would leave each of 3 some 5.0 tokens a second; 6 are wanted',
  );
  // Two concurrent answers lose less speed than the estimate.
  second.recordRate(24, 2_000);
  expect(admission.refusal()).toBeNull();
});

it('refuses what would bring everybody below the rate, and admits again when one has ended', () => {
  const { admission } = opened(10, 20);
  const [first] = [admission.admit(), admission.admit()];
  expect(admission.refusal()).toMatch(/each of 3 some 6\.7/);
  first.release();
  expect(admission.refusal()).toBeNull();
});

it('admits who is alone however slow the model is: nobody else is harmed', () => {
  const { admission } = opened(10, 2);
  expect(admission.refusal()).toBeNull();
  admission.admit();
  expect(admission.refusal()).toMatch(/each of 2 some 1\.0/);
});

it('forgets after a minute what was measured together, and holds no one bad minute against later ones', () => {
  const { admission, clock } = opened(6, 20);
  admission.admit();
  const slow = admission.admit();
  slow.recordRate(10, 5_000);
  slow.release();
  expect(admission.refusal()).toMatch(/some 2\.0/);
  clock.advance(61_000);
  expect(admission.refusal()).toBeNull();
});

it('does not judge by a word or two', () => {
  const { admission } = opened(6, 20);
  admission.admit();
  const short = admission.admit();
  short.recordRate(2, 5_000);
  short.release();
  expect(admission.refusal()).toBeNull();
});
