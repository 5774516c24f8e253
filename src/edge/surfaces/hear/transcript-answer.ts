/** A transcript in the format that was asked for: documents, subtitles, or events while it is made. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { hear } from '../../../media/wire/index.ts';
import { outputsOf, segmentWords } from '../../../speech/transcription/index.ts';
import { HEAR_MODEL } from './recognition-fields.ts';
import type { Transcription } from './transcriber.ts';
import type { TranscriptionFields } from './transcription-fields.ts';

const Json = Type.Object({ text: Type.String(), model: Type.String({ examples: [HEAR_MODEL] }) });
const VerboseJson = Type.Object({
  ...Json.properties,
  task: Type.Literal('transcribe'),
  duration: Type.Number({ description: 'Seconds of audio' }),
  segments: Type.Optional(
    Type.Array(
      Type.Object({ id: Type.Integer(), start: Type.Number(), end: Type.Number(), text: Type.String() }),
    ),
  ),
  words: Type.Optional(Type.Array(hear.WordShape)),
});

export const TRANSCRIPT_ANSWER = {
  description: 'The transcript, as `response_format` and `stream` ask for it',
  content: {
    'application/json': { schema: Type.Union([VerboseJson, Json]) },
    'text/plain': { schema: Type.String({ description: '`text` and `srt`' }) },
    'text/vtt': { schema: Type.String() },
    'text/event-stream': {
      schema: Type.String({
        description:
          'Each event is a line `data: {…}`: `{type: "transcript.text.delta", delta}` for each stretch, then `{type: "transcript.text.done", text}`',
      }),
    },
  },
};

type Format = NonNullable<TranscriptionFields['response_format']>;

const asItIs = (text: unknown): string => text as string;

/** `transcription` is whole. */
export function showTranscript(
  reply: FastifyReply,
  transcription: Transcription,
  { response_format: format = 'json', timestamp_granularities: times }: TranscriptionFields,
): unknown {
  if (format === 'json') return { text: transcription.text, model: HEAR_MODEL };
  if (format === 'verbose_json') return verbose(transcription, times);
  reply.type(format === 'vtt' ? 'text/vtt; charset=utf-8' : 'text/plain; charset=utf-8').serializer(asItIs);
  return format === 'text' ? transcription.text : subtitles(transcription, format);
}

function verbose({ text, words, duration }: Transcription, times: readonly string[] = ['word', 'segment']) {
  const segments = segmentWords(words).map(({ start, end, text: said }, id) => ({
    id,
    start,
    end,
    text: said,
  }));
  return {
    text,
    model: HEAR_MODEL,
    task: 'transcribe' as const,
    duration,
    ...(times.includes('segment') ? { segments } : {}),
    ...(times.includes('word') ? { words } : {}),
  };
}

function subtitles(
  { text, words }: Transcription,
  format: Exclude<Format, 'json' | 'text' | 'verbose_json'>,
): string {
  const segments = segmentWords(words).map((segment) => ({ speaker: null, channel: null, ...segment }));
  return outputsOf({ text, words, segments }, [format])[format] ?? '';
}

const eventOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** Text that was sent is billed, also where the listener goes before the end. */
async function* events(transcription: Transcription): AsyncGenerator<string, void> {
  try {
    let first = true;
    for await (const text of transcription.texts()) {
      yield eventOf({ type: 'transcript.text.delta', delta: first ? text : ` ${text}` });
      first = false;
    }
  } finally {
    await transcription.bill();
  }
  const { text, duration } = transcription;
  const usage = { type: 'duration', seconds: Math.ceil(duration) };
  yield eventOf({ type: 'transcript.text.done', text, usage });
}

export function streamTranscript(
  reply: FastifyReply,
  transcription: Transcription,
  over: () => Promise<void>,
): FastifyReply {
  const stream = Readable.from(events(transcription), { objectMode: false, highWaterMark: 1 });
  stream.once('close', () => void over());
  return reply.type('text/event-stream; charset=utf-8').send(stream);
}
