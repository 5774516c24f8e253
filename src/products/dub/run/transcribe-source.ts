import { withinTenant } from '../../../foundation/storage/index.ts';
import {
  type RecognitionStep as Heard,
  type Piece,
  sentencesBySpeaker,
  voicesInSpan,
  withCurrentVoices,
} from '../../../speech/transcription/index.ts';
import { DubFault } from '../fault.ts';
import { updateDub } from '../store.ts';
import { deleteDubSpans, loadDubSpans, storeDubSpan } from './dub-run-store.ts';
import { between, type DubStep, PROGRESS, thousandths } from './step.ts';

/** The language is detected in this much of the beginning. */
const LISTENED_SECONDS = 60;
/** Less speech than this does not tell the language. */
const LEAST_SECONDS = 2;
/** A shorter sentence joins its neighbour, because it cannot be timed by itself. */
const SHORT_SECONDS = 1.2;
const JOINED_SECONDS = 8;
const JOINED_PAUSE = 0.5;
/** The label of all speech where speakers are not separated. */
const SOMEBODY = 'speaker_1';

/**
 * Transcribes the source into segments with speakers and times. A span that was transcribed before a crash is not
 * transcribed again.
 */
export async function transcribeSource(step: DubStep): Promise<void> {
  const { deps, row, job, audio, signal } = step;
  const { environment } = row;
  const stored = await loadDubSpans(deps.storage.db, row.id);
  if (stored.length === 0) await checkLanguage(step);
  let sequence = stored.length;
  const from = stored.at(-1)?.done ?? 0;
  const options = {
    from,
    language: row.source,
    vocabulary: Object.keys(glossaryOf(step)),
    environment,
    signal,
  };
  for await (const { span, done } of deps.recognizer.transcribe(audio.from(0, from), options)) {
    if (!span) continue;
    const voices = await voicesInSpan(readingOf(step), 0, span);
    const progress = between(0, PROGRESS.heard, done / audio.seconds);
    await job.checkpoint(progress, async (trx) => {
      await storeDubSpan(trx, row.id, sequence, { ...span, done }, voices);
      await updateDub(trx, step.scope, row.id, { progress: thousandths(progress) });
    });
    sequence += 1;
  }
  await keepSegments(step);
}

const readingOf = ({ deps, row, audio, signal }: DubStep) => ({
  audio,
  embedder: deps.voiceReader,
  environment: row.environment,
  signal,
});

const glossaryOf = ({ row }: DubStep): Record<string, string> =>
  (JSON.parse(row.request) as { glossary: Record<string, string> }).glossary;

/** Fails at once for speech of another language than the stated one, which would come out as nonsense. */
async function checkLanguage({ deps, row, audio, signal }: DubStep): Promise<void> {
  const heard: Heard[] = [];
  let seconds = 0;
  const options = { from: 0, language: null, vocabulary: [], environment: row.environment, signal };
  const beginning = audio.until(0, LISTENED_SECONDS);
  for await (const one of deps.recognizer.transcribe(beginning, options)) {
    heard.push(one);
    if (one.span?.language === row.source) return;
    seconds += one.span ? one.span.end - one.span.start : 0;
  }
  if (seconds < LEAST_SECONDS) return;
  const said = [...new Set(heard.flatMap(({ span }) => span?.language ?? []))].join(', ');
  if (said === '') return;
  throw new DubFault(
    'wrong_language',
    `The language of the recording was detected as ${said}, but source is ${row.source}.`,
  );
}

async function keepSegments(step: DubStep): Promise<void> {
  const { deps, row, job, scope } = step;
  const stored = await loadDubSpans(deps.storage.db, row.id);
  const spans = await withCurrentVoices(stored, readingOf(step));
  const sentences = joined(await sentencesBySpeaker(spans)).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (sentences.length === 0) {
    throw new DubFault('no_speech', 'The recording has no speech: there is nothing to dub.');
  }
  await job.checkpoint(PROGRESS.heard, async (trx) => {
    for (const [number, { speaker, start, end, text, words }] of sentences.entries()) {
      const segment = {
        job_id: row.id,
        number,
        speaker: speaker ?? SOMEBODY,
        start_ms: Math.round(start * 1000),
        end_ms: Math.round(end * 1000),
        text: text.trim(),
        text_edited: 0,
        words: JSON.stringify(words),
        translation: null,
        translated_by: null,
        voice: null,
        spoken: null,
      };
      await withinTenant(trx, scope).insertInto('dub_segments', segment).execute();
    }
    await deleteDubSpans(trx, row.id);
    const progress = thousandths(PROGRESS.heard);
    await updateDub(trx, scope, row.id, { status: 'translating', progress });
  });
}

const short = ({ start, end }: Piece): boolean => end - start < SHORT_SECONDS;

export function joined(sentences: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const sentence of sentences) {
    const last = all.at(-1);
    const joins =
      last !== undefined &&
      last.speaker === sentence.speaker &&
      (short(last) || short(sentence)) &&
      sentence.start - last.end <= JOINED_PAUSE &&
      sentence.end - last.start <= JOINED_SECONDS;
    if (!joins) all.push(sentence);
    else {
      const text = `${last.text.trim()} ${sentence.text.trim()}`;
      const words = [...last.words, ...sentence.words];
      all[all.length - 1] = { ...last, end: sentence.end, text, words };
    }
  }
  return all;
}
