import { Readable } from 'node:stream';
import { deflateSync } from 'node:zlib';
import type { FastifyReply } from 'fastify';
import Type from 'typebox';
import { isForeignModel } from '../../../foundation/platform/model-names.ts';
import { hear } from '../../../media/wire/index.ts';
import { outputsOf, type SegmentView, segmentWords } from '../../../speech/transcription/index.ts';
import { HEAR_MODEL } from './recognition-fields.ts';
import type { Transcription } from './transcriber.ts';
import type { TranscriptionFields } from './transcription-fields.ts';

const Usage = Type.Object(
  { type: Type.Literal('duration'), seconds: Type.Integer() },
  { title: 'TranscriptUsage' },
);
const Json = Type.Object(
  {
    text: Type.String(),
    model: Type.String({ examples: [HEAR_MODEL] }),
    usage: Type.Optional(Usage),
  },
  { title: 'Transcript' },
);
const notMeasured = {
  description: 'Always 0: this value is not measured. Only returned for model names of other vendors.',
};
const VerboseJson = Type.Object(
  {
    ...Json.properties,
    task: Type.Enum(['transcribe', 'translate']),
    language: Type.Optional(
      Type.String({
        description:
          'The English name of the language; `unknown` if there is no speech. Only returned for model names of other vendors.',
      }),
    ),
    duration: Type.Number({ description: 'The duration of the audio in seconds.' }),
    segments: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.Integer(),
          start: Type.Number(),
          end: Type.Number(),
          text: Type.String(),
          seek: Type.Optional(Type.Integer({ description: 'The position in hundredths of a second.' })),
          tokens: Type.Optional(Type.Array(Type.Integer(), { description: 'Always empty.' })),
          temperature: Type.Optional(Type.Number()),
          avg_logprob: Type.Optional(Type.Number(notMeasured)),
          compression_ratio: Type.Optional(
            Type.Number({ description: 'The ratio of the size of the text to its deflate-compressed size.' }),
          ),
          no_speech_prob: Type.Optional(Type.Number(notMeasured)),
        }),
      ),
    ),
    words: Type.Optional(Type.Array(hear.WordShape)),
  },
  { title: 'VerboseTranscript' },
);
const DiarizedJson = Type.Object(
  {
    text: Type.String(),
    model: Json.properties.model,
    task: Type.Literal('transcribe'),
    duration: Type.Number(),
    segments: Type.Array(
      Type.Object({
        type: Type.Literal('transcript.text.segment'),
        id: Type.String(),
        start: Type.Number(),
        end: Type.Number(),
        text: Type.String(),
        speaker: Type.String({ description: 'The speaker: A, B and so on, in order of first appearance.' }),
      }),
    ),
    usage: Usage,
  },
  { title: 'DiarizedTranscript' },
);

const header = (description: string, example: string) => ({
  description,
  schema: { type: 'string' },
  example,
});

export const TRANSCRIPT_RESPONSE = {
  description: 'The transcript, in the format of `response_format` and `stream`.',
  headers: {
    'x-svc-model': header('The model that served the request.', HEAR_MODEL),
    'x-svc-ignored': header('Fields of the request that had no effect.', 'prompt'),
    'x-svc-experimental-language': header(
      'The requested language, if it has a high word error rate. A recognizer of your own can serve it instead (guide “Bring your own models”).',
      'hi',
    ),
  },
  content: {
    'application/json': { schema: Type.Union([DiarizedJson, VerboseJson, Json]) },
    'text/plain': { schema: Type.String({ description: 'The transcript for `text` and `srt`.' }) },
    'text/vtt': { schema: Type.String() },
    'text/event-stream': {
      schema: Type.String({
        description:
          'Each event is a line `data: {…}`: `{type: "transcript.text.delta", delta}` for each part, then `{type: "transcript.text.done", text}`.',
      }),
    },
  },
};

type Format = NonNullable<TranscriptionFields['response_format']>;

const passThrough = (text: unknown): string => text as string;

const usageOf = ({ duration }: Transcription) => ({
  type: 'duration' as const,
  seconds: Math.ceil(duration),
});

type Task = 'transcribe' | 'translate';
type RequestedFields = Pick<
  TranscriptionFields,
  'model' | 'response_format' | 'timestamp_granularities' | 'temperature'
>;

export async function showTranscript(
  reply: FastifyReply,
  transcription: Transcription,
  asked: RequestedFields,
  task: Task = 'transcribe',
): Promise<unknown> {
  const { response_format: format = 'json', model } = asked;
  if (format === 'json') {
    const usage = isForeignModel(model) ? { usage: usageOf(transcription) } : {};
    return { text: transcription.text, model: HEAR_MODEL, ...usage };
  }
  if (format === 'diarized_json') return await diarized(transcription);
  if (format === 'verbose_json') return verbose(transcription, asked, task);
  reply
    .type(format === 'vtt' ? 'text/vtt; charset=utf-8' : 'text/plain; charset=utf-8')
    .serializer(passThrough);
  return format === 'text' ? transcription.text : subtitles(transcription, format, task);
}

/** Segments are sentences when words have times, else the speech between two pauses. */
const segmentsOf = ({ words, spans }: Transcription, task: Task): readonly SegmentView[] =>
  task === 'translate' ? spans : segmentWords(words);

function verbose(
  transcription: Transcription,
  { model, timestamp_granularities: times = ['word', 'segment'], temperature = 0 }: RequestedFields,
  task: Task,
) {
  const { text, words, duration } = transcription;
  const isForeign = isForeignModel(model);
  const segments = segmentsOf(transcription, task).map(({ start, end, text: said }, id) => ({
    id,
    start,
    end,
    text: said,
    ...(isForeign ? whisperFields(start, said, temperature) : {}),
  }));
  return {
    text,
    model: HEAR_MODEL,
    task,
    ...(isForeign ? { language: languageName(transcription, task), usage: usageOf(transcription) } : {}),
    duration,
    ...(times.includes('segment') ? { segments } : {}),
    ...(times.includes('word') && task === 'transcribe' ? { words } : {}),
  };
}

/** Whisper's clients require these fields. Only the compression ratio is computed as in Whisper's own service. */
const whisperFields = (start: number, text: string, temperature: number) => ({
  seek: Math.round(start * 100),
  tokens: [],
  temperature,
  avg_logprob: 0,
  compression_ratio: compressionRatio(text),
  no_speech_prob: 0,
});

function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return Math.round((bytes.length / deflateSync(bytes).length) * 1000) / 1000;
}

const NAMES = new Intl.DisplayNames('en', { type: 'language' });

function languageName({ language }: Transcription, task: Task): string {
  const code = task === 'translate' ? 'en' : language;
  return code === null ? 'unknown' : (NAMES.of(code) ?? code).toLowerCase();
}

async function diarized(transcription: Transcription) {
  const letters = new Map<string | null, string>();
  const letterOf = (speaker: string | null): string => {
    const letter = letters.get(speaker) ?? nthLetter(letters.size);
    letters.set(speaker, letter);
    return letter;
  };
  const segments = (await transcription.sentences()).map(({ speaker, start, end, text }, at) => ({
    type: 'transcript.text.segment' as const,
    id: `seg_${at}`,
    start,
    end,
    text: text.trim(),
    speaker: letterOf(speaker),
  }));
  const { text, duration } = transcription;
  return {
    text,
    model: HEAR_MODEL,
    task: 'transcribe' as const,
    duration,
    segments,
    usage: usageOf(transcription),
  };
}

const nthLetter = (at: number): string => {
  const letter = String.fromCharCode(65 + (at % 26));
  return at < 26 ? letter : `${letter}${Math.floor(at / 26)}`;
};

function subtitles(
  transcription: Transcription,
  format: Exclude<Format, 'json' | 'text' | 'verbose_json' | 'diarized_json'>,
  task: Task,
): string {
  const { text, words } = transcription;
  const segments = segmentsOf(transcription, task).map(({ start, end, text: said }) => ({
    speaker: null,
    channel: null,
    start,
    end,
    text: said,
  }));
  return outputsOf({ text, words, segments }, [format])[format] ?? '';
}

const eventOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** The text that was sent is billed even when the client disconnects before the end. */
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
  const { text } = transcription;
  yield eventOf({ type: 'transcript.text.done', text, usage: usageOf(transcription) });
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
