import { expect, it } from 'vitest';
import {
  type SpeakerEmbedding,
  type StoredSpan,
  sentencesBySpeaker,
} from '../../../src/speech/transcription/index.ts';

const unit = (axis: number): Float32Array =>
  Float32Array.from({ length: 8 }, (_, at) => (at === axis ? 1 : 0));

function span(start: number, text: string, speakers: readonly number[]): StoredSpan {
  const words = text.split(' ').map((word, at) => ({
    word,
    start: start + at * 0.5,
    end: start + at * 0.5 + 0.5,
  }));
  const voices: SpeakerEmbedding[] = speakers.map((speaker, at) => ({
    start: start + at * 0.8,
    end: start + at * 0.8 + 0.8,
    alone: 0.8,
    narrow: false,
    vector: unit(speaker),
  }));
  const end = words.at(-1)!.end;
  return { channel: 0, done: end, start, end, text, language: 'es', words, voices };
}

const said = async (...spans: StoredSpan[]) =>
  (await sentencesBySpeaker(spans)).map(({ speaker, text }) => [speaker, text]);

const NUMBER = 'El número que usted ha marcado no está disponible.';

it('leaves a sentence to its speaker where another voice is heard for a word or two', async () => {
  const other = span(20, 'Buenas tardes a todos y a todas ustedes.', [1, 1, 1, 1, 1]);
  expect(await said(span(0, NUMBER, [1, 0, 0, 0, 0, 0]), other)).toEqual([
    ['speaker_2', NUMBER],
    ['speaker_1', 'Buenas tardes a todos y a todas ustedes.'],
  ]);
  expect(await said(span(0, NUMBER, [0, 0, 1, 0, 0, 0]), other)).toEqual([
    ['speaker_1', NUMBER],
    ['speaker_2', 'Buenas tardes a todos y a todas ustedes.'],
  ]);
});

it('keeps a short sentence of another speaker, and a long piece of one', async () => {
  const answer = span(
    0,
    'Tiene usted la tarjeta aquí con usted ahora? Sí, claro. Muy bien entonces dígame el número.',
    [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
  );
  const other = span(20, 'Buenas tardes a todos y a todas ustedes.', [1, 1, 1, 1, 1]);
  expect((await said(answer, other)).slice(0, 3)).toEqual([
    ['speaker_1', 'Tiene usted la tarjeta aquí con usted ahora?'],
    ['speaker_2', 'Sí, claro.'],
    ['speaker_1', 'Muy bien entonces dígame el número.'],
  ]);
  const taken = span(0, NUMBER, [0, 0, 0, 1, 1, 1]);
  expect((await said(taken, other)).slice(0, 2).map(([speaker]) => speaker)).toEqual([
    'speaker_1',
    'speaker_2',
  ]);
});

it('keeps a short turn with a pause before and after it, also where no sentence ends', async () => {
  const { words, voices, ...whole } = span(0, 'tiene usted la tarjeta sí y el número', [0, 0, 0, 1, 0, 0, 0]);
  const later = <Timed extends { start: number; end: number }>(timed: Timed, by: number): Timed => ({
    ...timed,
    start: timed.start + by,
    end: timed.end + by,
  });
  const paused = words.map((word, at) => later(word, at < 4 ? 0 : at === 4 ? 0.4 : 0.8));
  const heard = voices.map((voice, at) => ({
    ...voice,
    start: at < 3 ? at * 0.66 : at === 3 ? 2.4 : 3.3 + (at - 4) * 0.5,
    end: at < 3 ? at * 0.66 + 0.66 : at === 3 ? 2.9 : 3.8 + (at - 4) * 0.5,
  }));
  const other = span(20, 'Buenas tardes a todos y a todas ustedes.', [1, 1, 1, 1, 1]);
  expect((await said({ ...whole, words: paused, voices: heard }, other)).slice(0, 3)).toEqual([
    ['speaker_1', 'tiene usted la tarjeta'],
    ['speaker_2', 'sí'],
    ['speaker_1', 'y el número'],
  ]);
});
