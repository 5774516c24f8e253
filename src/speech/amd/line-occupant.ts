import type { AnswerModel, HoldModel, SpokenAnswer } from './phrases/index.ts';

export type LineOccupant = 'person' | 'machine' | 'hold';

const PEOPLE: readonly SpokenAnswer[] = ['human', 'receptionist', 'screening'];
const LEAST_HOLD_SCORE = 1.5;
const MACHINE_AHEAD = 1.5;

/** Decides by the words alone. Words that no machine is known to say indicate a person. */
export function lineOccupant(
  text: string,
  { answers, holds }: { readonly answers: AnswerModel; readonly holds: HoldModel },
): LineOccupant {
  const hold = holds.read(text).scores;
  if (hold.hold >= LEAST_HOLD_SCORE && hold.hold > hold.other) return 'hold';
  const { scores } = answers.read(text);
  const people = Math.max(...PEOPLE.map((said) => scores[said]));
  const machines = Object.entries(scores)
    .filter(([said]) => !PEOPLE.includes(said as SpokenAnswer))
    .map(([, score]) => score);
  return Math.max(...machines) - people >= MACHINE_AHEAD ? 'machine' : 'person';
}
