import Type, { type Static } from 'typebox';
import { type PiiEntity, redactSegments } from '../../../../language/pii/index.ts';
import type { EngineWord } from '../../../../media/engine/index.ts';

const SpokenWord = Type.Object({
  word: Type.String(),
  start: Type.Number(),
  end: Type.Number(),
  confidence: Type.Number({ description: 'Always 0: this value is not measured.' }),
  punctuated_word: Type.String(),
  speaker: Type.Optional(
    Type.Integer({ description: 'The index of the speaker, starting at 0. Only set with `diarize`.' }),
  ),
  speaker_confidence: Type.Optional(Type.Number({ description: 'Always 0: this value is not measured.' })),
});

const Paragraph = Type.Object({
  sentences: Type.Array(Type.Object({ text: Type.String(), start: Type.Number(), end: Type.Number() })),
  start: Type.Number(),
  end: Type.Number(),
  num_words: Type.Integer(),
  speaker: Type.Optional(Type.Integer()),
});
type Paragraph = Static<typeof Paragraph>;

const Alternative = Type.Object({
  transcript: Type.String(),
  confidence: Type.Number({ description: 'Always 0: this value is not measured.' }),
  words: Type.Array(SpokenWord),
  paragraphs: Type.Optional(Type.Object({ transcript: Type.String(), paragraphs: Type.Array(Paragraph) })),
});

const Utterance = Type.Object({
  start: Type.Number(),
  end: Type.Number(),
  confidence: Type.Number(),
  channel: Type.Integer(),
  transcript: Type.String(),
  words: Type.Array(SpokenWord),
  speaker: Type.Optional(Type.Integer()),
  id: Type.String(),
});

export const Results = Type.Object({
  channels: Type.Array(
    Type.Object({
      alternatives: Type.Array(Alternative),
      detected_language: Type.Optional(
        Type.String({ description: 'The detected language. Only set with `detect_language`.' }),
      ),
    }),
  ),
  utterances: Type.Optional(Type.Array(Utterance)),
});

export interface Sentence {
  readonly text: string;
  readonly words: readonly EngineWord[];
  readonly start: number;
  readonly end: number;
  /** The value is `speaker_1` and so on; it is null without diarization. */
  readonly speaker: string | null;
}

export interface HeardChannel {
  readonly sentences: readonly Sentence[];
  readonly language: string | null;
}

export interface TranscriptOptions {
  readonly requestId: string;
  readonly detectsLanguage: boolean;
  readonly paragraphs: boolean;
  readonly utterances: boolean;
  readonly redact: readonly PiiEntity[];
}

export const bareWord = (word: string): string =>
  word.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

const speakerOf = ({ speaker }: Sentence): { speaker?: number } =>
  speaker === null ? {} : { speaker: Number(speaker.replace(/\D+/g, '')) - 1 };

const wordsOf = (sentence: Sentence) =>
  sentence.words.map(({ word, start, end }) => ({
    word: bareWord(word),
    start,
    end,
    confidence: 0,
    punctuated_word: word,
    ...(sentence.speaker === null ? {} : { ...speakerOf(sentence), speaker_confidence: 0 }),
  }));

export function resultsOf(
  heard: readonly HeardChannel[],
  options: TranscriptOptions,
): Static<typeof Results> {
  const { redact, utterances, requestId } = options;
  const channels = heard.map(({ sentences, language }) => ({
    language,
    sentences: redact.length === 0 ? sentences : redactSegments(sentences, redact).segments,
  }));
  const all = channels.flatMap(({ sentences }, channel) => sentences.map((one) => ({ ...one, channel })));
  all.sort((one, other) => one.start - other.start);
  return {
    channels: channels.map((channel) => channelOf(channel, options)),
    ...(utterances
      ? { utterances: all.map((one, at) => utteranceOf(one, one.channel, `${requestId}_${at}`)) }
      : {}),
  };
}

const channelOf = (
  { sentences, language }: HeardChannel,
  { paragraphs, detectsLanguage }: TranscriptOptions,
) => ({
  alternatives: [
    {
      transcript: textOf(sentences),
      confidence: 0,
      words: sentences.flatMap(wordsOf),
      ...(paragraphs ? { paragraphs: inParagraphs(sentences) } : {}),
    },
  ],
  ...(detectsLanguage && language !== null ? { detected_language: language } : {}),
});

const textOf = (sentences: readonly Sentence[]): string => sentences.map(({ text }) => text.trim()).join(' ');

const utteranceOf = (sentence: Sentence, channel: number, id: string) => ({
  start: sentence.start,
  end: sentence.end,
  confidence: 0,
  channel,
  transcript: sentence.text.trim(),
  words: wordsOf(sentence),
  ...speakerOf(sentence),
  id,
});

const PARAGRAPH_PAUSE = 1.5;
const PARAGRAPH_SENTENCES = 5;

function inParagraphs(sentences: readonly Sentence[]) {
  const groups: Sentence[][] = [];
  for (const sentence of sentences) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const goesOn =
      group !== undefined &&
      last !== undefined &&
      last.speaker === sentence.speaker &&
      sentence.start - last.end < PARAGRAPH_PAUSE &&
      group.length < PARAGRAPH_SENTENCES;
    if (goesOn) group.push(sentence);
    else groups.push([sentence]);
  }
  return { transcript: `\n${groups.map(paragraphText).join('\n\n')}`, paragraphs: groups.map(paragraphOf) };
}

function paragraphText(group: readonly Sentence[]): string {
  const { speaker } = speakerOf(group[0]!);
  return speaker === undefined ? textOf(group) : `Speaker ${speaker}: ${textOf(group)}`;
}

const paragraphOf = (group: readonly Sentence[]): Paragraph => ({
  sentences: group.map(({ text, start, end }) => ({ text: text.trim(), start, end })),
  start: group[0]!.start,
  end: group.at(-1)!.end,
  num_words: group.reduce((sum, { words }) => sum + words.length, 0),
  ...speakerOf(group[0]!),
});
