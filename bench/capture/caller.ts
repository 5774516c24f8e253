import {
  advanceCapture,
  beginCapture,
  type CaptureInput,
  type CaptureResult,
  type CaptureState,
} from '../../src/language/capture/index.ts';
import type { Random, Trial } from './values.ts';

const ALIKE: Readonly<Record<string, readonly string[]>> = {
  ...{ five: ['nine'], nine: ['five', 'one'], one: ['nine'], six: ['eight'], eight: ['six'], four: ['five'] },
  ...{
    B: ['D', 'P', 'E'],
    D: ['B', 'T'],
    P: ['B', 'T'],
    T: ['P', 'D'],
    M: ['N'],
    N: ['M'],
    F: ['S'],
    S: ['F'],
  },
  ...{ C: ['Z'], Z: ['C'], V: ['B'], G: ['J'], J: ['G'], A: ['K'], K: ['A'] },
};
const NOTICED = 0.5;

export interface Outcome {
  readonly result: CaptureResult;
  readonly turns: number;
  readonly first: string | null;
}

export function capture(trial: Trial, errors: number, random: Random): Outcome {
  const hear = (text: string): CaptureInput => {
    const words = text.split(' ').map((word) => {
      const others = ALIKE[word];
      if (others === undefined || random() >= errors) return { text: word, confidence: 0.95 };
      const other = others[Math.floor(random() * others.length)] ?? word;
      return { text: other, confidence: random() < NOTICED ? 0.3 : 0.9 };
    });
    return { kind: 'said', said: { text: words.map((word) => word.text).join(' '), words } };
  };
  let current = beginCapture(trial.request);
  let turns = 0;
  let first: string | null = null;
  while (current.kind === 'ask') {
    current = advanceCapture(current.state, answer(current.state, trial, hear));
    turns += 1;
    if (turns === 1) first = understood(current);
  }
  return { result: current.result, turns, first };
}

const understood = (current: ReturnType<typeof beginCapture>): string | null => {
  if (current.kind === 'done') return 'value' in current.result ? current.result.value : null;
  return current.state.phase.at === 'confirming' ? current.state.phase.reading.value : null;
};

function answer(
  { phase, inputMode: way, request }: CaptureState,
  trial: Trial,
  hear: (text: string) => CaptureInput,
): CaptureInput {
  if (way === 'keys' && (request.kind === 'phone' || request.kind === 'digits'))
    return { kind: 'keys', keys: trial.value.replace(/^\+1/, '') };
  switch (phase.at) {
    case 'character':
      return hear(`it is ${trial.words[phase.place]}`);
    case 'more':
      return hear(trial.words.slice(phase.heard.length).join(' '));
    case 'confirming':
      return phase.reading.value === trial.value ? hear('yes') : correction(trial, phase.reading.heard, hear);
    default:
      return hear(trial.words.join(' '));
  }
}

const PLACES = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');

function correction(
  { value, words }: Trial,
  heard: readonly { readonly char: string }[],
  hear: (text: string) => CaptureInput,
): CaptureInput {
  const wanted = [...value.replace(/^\+1/, '')];
  const wrong = wanted.flatMap((char, at) => (heard[at]?.char.toUpperCase() === char ? [] : [at]));
  const [at = 0] = wrong;
  const single = heard.length === wanted.length && wrong.length === 1 && PLACES[at] !== undefined;
  return hear(single ? `no , the ${PLACES[at]} one is ${words[at]}` : `no , ${words.join(' ')}`);
}
