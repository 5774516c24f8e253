import type { Report } from '../../harness/index.ts';
import type { SpokenTurn } from '../languages.ts';

export function writeLanguages(report: Report, turns: readonly SpokenTurn[]): void {
  report.heading('Spoken turns in each language');
  report.text(
    'A voice of Speak asks, the built-in responder answers what the persona says, or that it doesn’t know; the answer’s sound at ' +
      'the caller’s ear is written by Hear. The same questions in writing are all answered right (test/bench/omni-languages.test.ts): where an ' +
      'answer is wrong, the question was misheard, and what was heard stands beside it. Hindi is what Whisper base writes of it in ' +
      'Devanagari (docs/decisions/074). German is not served yet, and runs in English. No caller here is a person; the real voices are ' +
      'those of the other parts, in English.',
  );
  report.table(
    [
      'asked for',
      'served',
      'voice',
      'question',
      'heard',
      'answer',
      'its sound, by Hear',
      'response latency',
      'right',
    ],
    turns.map((turn) => [
      turn.language,
      turn.fallback ? `${turn.active} (fallback)` : turn.active,
      turn.voice,
      turn.question,
      turn.heard,
      turn.answer,
      turn.sound,
      turn.gapMs === null ? null : Math.round(turn.gapMs),
      turn.right ? 'yes' : '**no**',
    ]),
  );
  for (const language of new Set(turns.map((turn) => turn.language))) {
    const some = turns.filter((turn) => turn.language === language);
    report.figure({
      name: `right answers to spoken questions, ${language}`,
      value: some.filter(({ right }) => right).length,
      unit: `of ${some.length}`,
    });
  }
}
