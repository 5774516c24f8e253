/**
 * Agents answer with these texts. A voice that reads a clause before it speaks is as slow as the clause is long, so
 * the first clauses have six lengths, with as many answers of each; no two answers begin alike.
 */
export const FIRST_CLAUSE_WORDS = [3, 6, 12, 20, 30, 40] as const;

const BY_LENGTH: Readonly<Record<number, readonly string[]>> = {
  3: [
    'I can help. Your number is noted.',
    'That works fine. I have noted the time.',
    'Let me check. It will take a moment.',
    'We are open. You can come in today.',
  ],
  6: [
    'Your order was sent this morning. It should be with you on Friday.',
    'Could you tell me your name? I will look for the booking.',
    'There is one table left tonight. It stands near the window.',
    'My colleague will call you back. She is in the office tomorrow.',
  ],
  12: [
    'Two of the rooms that you asked about are free next weekend. Which one would you like?',
    'The driver called twice this morning but nobody came to the door. He will try again.',
    'Someone from the workshop can look at your boiler on Thursday afternoon. Is that good?',
    'Nothing on your account has changed since we last spoke in September. All is well.',
  ],
  20: [
    'After the payment has arrived we will send you a letter with the new number of your contract and card. Keep it safe.',
    'Only people who live in the same house as you can be added to this plan without a yearly fee. Shall I go on?',
    'Everything that you returned last week has reached our store and the money should be on your card in days. Anything else?',
    'When you come to the clinic please bring the small paper that the nurse gave you at your last visit. Thank you.',
  ],
  30: [
    'Because the part that you need is no longer made by the company that sold you the machine we must order it from another country and that takes five weeks. Is that all right?',
    'If you would like to keep the same number when you move to the new plan then we only need the code that your old provider sent you this morning. Do you have it?',
    'People who travel with more than two large bags have to be at the station forty minutes before the train leaves so that everything can be put into one car. See you then.',
    'Once the man from the city has been to your house and has looked at the roof you will get a call from us about what has to be done. That is all.',
  ],
  40: [
    'Before we can change the address on the account I need to ask you three short questions about the last payment that was made from it so that nobody else can have your letters and your cards sent somewhere else. Are you ready?',
    'Most of the people who call about this find that the router works again once they have taken the plug out of the wall and waited for a full minute before they put it back in and let it start. Try that.',
    'Since the storm on Sunday took down two of the lines that bring power to your part of the town our teams have been out day and night and they now think that it will work again by tomorrow evening. Stay warm.',
    'What you could do is leave the car with us on the way to work and take the small red one that stands in front of the shop until we call you to say that yours is ready to go. Agreed?',
  ],
};

export interface Answer {
  readonly words: number;
  readonly text: string;
}

export const ANSWERS: readonly Answer[] = Array.from({ length: 4 }, (_, turn) =>
  FIRST_CLAUSE_WORDS.map((words) => ({ words, text: BY_LENGTH[words]![turn]! })),
).flat();

let names = 0;

/**
 * Returns the answers many times over, each sentence with a name at its end that no other sentence has. A server keeps
 * what an agent says again, so answers that return would be measured without their synthesis.
 */
export function unheardAnswers(rounds = 20): string[] {
  return Array.from({ length: rounds }, () => ANSWERS)
    .flat()
    .map(({ text }) => text.replace(/(?=[.?])/g, () => ` ${nameOf(names++)}`));
}

function nameOf(index: number): string {
  const syllables = [...'bdfgklmnprstvz'].flatMap((first) => [...'aeiou'].map((second) => first + second));
  const at = (place: number) => syllables[Math.floor(index / syllables.length ** place) % syllables.length];
  const name = `${at(0)}${at(1)}${at(2)}n`;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

export const wordsOfFirstClause = (text: string): number =>
  (text.split(/(?<=[.!?,;:])\s/)[0] ?? '').split(/\s+/).filter((word) => /\w/.test(word)).length;

/** Returns the words of the first clause of the answer that begins so, or null when no answer does. */
export function lengthOfAnswer(beginning: string): number | null {
  const start = beginning.trim().slice(0, 12);
  if (start.length < 4) return null;
  return ANSWERS.find(({ text }) => text.startsWith(start))?.words ?? null;
}

export function byLength<Value>(
  values: readonly Value[],
  wordsOf: (value: Value) => number | null,
): { words: number; values: Value[] }[] {
  return FIRST_CLAUSE_WORDS.map((words) => ({
    words,
    values: values.filter((value) => wordsOf(value) === words),
  })).filter(({ values: some }) => some.length > 0);
}
