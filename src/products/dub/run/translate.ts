import type { DubSegmentRow } from '../../../foundation/storage/tables/dub.ts';
import { StepFailed } from '../fault.ts';
import { segmentsOf, updateDub, updateSegment } from '../store.ts';
import type { TranslationRequest, TranslationRoute } from '../translators/index.ts';
import { requestOf } from '../views.ts';
import { between, type DubStep, PROGRESS, publishProgress, thousandths } from './step.ts';

/** Words begin before they are audible, so a segment gets this much around it. */
const AROUND_SECONDS = 0.15;

const SENTENCE_END = /[.!?…।][\p{Pf}\p{Pe}"']*$/u;
/** The rule holds in languages that capitalize only names and beginnings of sentences. */
const BEGINS_ANEW = /^\P{L}*\p{Lu}/u;
const WRITES_NOUNS_SO = 'de';
const GOES_ON_WITHIN_MS = 600;
/** A transcript without full stops is not one sentence. */
const MAX_SHARED = 4;

interface Translated {
  readonly text: string;
  readonly by: string;
}

/** Translates every segment without a translation by the best translator that succeeds. */
export async function translate(step: DubStep): Promise<void> {
  const { deps, row, job, scope } = step;
  const segments = await segmentsOf(deps.storage.db, scope, row.id);
  let before = '';
  let done = 0;
  for (const sentence of sentencesIn(segments, row.source)) {
    const translations = await translationsOf(step, sentence, before);
    done += sentence.length;
    before = sentence.map(({ text }) => text).join(' ');
    if (translations.size === 0) continue;
    const progress = between(PROGRESS.heard, PROGRESS.translated, done / segments.length);
    await job.checkpoint(progress, async (trx) => {
      for (const [number, { text, by }] of translations)
        await updateSegment(trx, scope, row.id, number, { translation: text, translated_by: by });
      await updateDub(trx, scope, row.id, { progress: thousandths(progress) });
    });
  }
  await publishProgress(step, { status: 'synthesizing', progress: thousandths(PROGRESS.translated) });
}

/** Groups consecutive segments of one sentence, which speakers may share. */
function sentencesIn(segments: readonly DubSegmentRow[], language: string): readonly DubSegmentRow[][] {
  const sentences: DubSegmentRow[][] = [];
  for (const segment of segments) {
    const sentence = sentences.at(-1);
    const last = sentence?.at(-1);
    const goesOn =
      sentence !== undefined &&
      last !== undefined &&
      sentence.length < MAX_SHARED &&
      last.speaker !== segment.speaker &&
      !SENTENCE_END.test(last.text) &&
      (language === WRITES_NOUNS_SO || !BEGINS_ANEW.test(segment.text)) &&
      segment.start_ms - last.end_ms <= GOES_ON_WITHIN_MS;
    if (goesOn) sentence.push(segment);
    else sentences.push([segment]);
  }
  return sentences;
}

/**
 * Returns translations by the numbers of segments that lack one. A sentence is translated as a whole, and the
 * translation is divided among its segments.
 */
async function translationsOf(
  step: DubStep,
  sentence: readonly DubSegmentRow[],
  before: string,
): Promise<ReadonlyMap<number, Translated>> {
  const [first, last] = [sentence[0], sentence.at(-1)];
  if (first !== undefined && last !== first && sentence.every(({ translation }) => translation === null)) {
    const text = sentence.map((segment) => segment.text).join(' ');
    const text_edited = Math.max(...sentence.map((segment) => segment.text_edited));
    const whole = { ...first, text, text_edited, end_ms: last?.end_ms ?? first.end_ms };
    const { text: translation, by } = await translated(step, whole, before, null);
    const parts = divided(
      translation,
      sentence.map((segment) => segment.text.length),
    );
    if (parts !== null)
      return new Map(sentence.map(({ number }, at) => [number, { text: parts[at] ?? '', by }]));
  }
  const translations = new Map<number, Translated>();
  let heard = before;
  for (const segment of sentence) {
    if (segment.translation === null)
      translations.set(segment.number, await translated(step, segment, heard, null));
    heard = segment.text;
  }
  return translations;
}

/** Divides a text at words, in proportion to `lengths`; returns null where it has fewer words than parts. */
export function divided(text: string, lengths: readonly number[]): readonly string[] | null {
  const words = text.split(/\s+/u).filter((word) => word !== '');
  if (words.length < lengths.length) return null;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const characters = words.reduce((sum, word) => sum + word.length + 1, 0);
  const parts: string[] = [];
  let [from, at, wanted] = [0, 0, 0];
  lengths.forEach((length, part) => {
    wanted += (characters * length) / total;
    const left = lengths.length - part - 1;
    const begin = from;
    for (; from < words.length - left; from += 1) {
      const next = at + (words[from]?.length ?? 0) + 1;
      // Every part takes a word, and the last takes the rest.
      if (left > 0 && from > begin && next - wanted > wanted - at) break;
      at = next;
    }
    parts.push(words.slice(begin, from).join(' '));
  });
  return parts;
}

/** Returns a shorter wording; null where no translator of the direction can give one. */
export async function shortened(
  step: DubStep,
  segment: DubSegmentRow,
  mostCharacters: number,
): Promise<string | null> {
  const ways = (await step.deps.directions.routesOf(step.row)).filter(
    ({ translator }) => translator.shortens,
  );
  if (ways.length === 0) return null;
  try {
    return (await translated(step, segment, '', mostCharacters, ways)).text;
  } catch (error) {
    if (error instanceof StepFailed) return null;
    throw error;
  }
}

async function translated(
  step: DubStep,
  segment: DubSegmentRow,
  before: string,
  mostCharacters: number | null,
  known?: readonly TranslationRoute[],
): Promise<Translated> {
  const { deps, row, signal } = step;
  const ways = (known ?? (await deps.directions.routesOf(row))).filter(
    ({ translator }) => translator.reads === 'text' || segment.text_edited === 0,
  );
  const what = toTranslate(step, segment, before, mostCharacters);
  for (const { translator, offer } of ways) {
    try {
      return { text: await translator.translate(offer, what, signal), by: translator.name };
    } catch (error) {
      signal.throwIfAborted();
      deps.directions.doubt(translator, error);
    }
  }
  const message = `The translation from ${row.source} to ${row.target} failed. Render the dub again later: it resumes where it stopped.`;
  throw new StepFailed('translation_failed', message);
}

const toTranslate = (
  { row, audio }: DubStep,
  segment: DubSegmentRow,
  before: string,
  mostCharacters: number | null,
): TranslationRequest => ({
  text: segment.text,
  before,
  glossary: requestOf(row).glossary,
  mostCharacters,
  sound:
    segment.text_edited === 1
      ? null
      : () =>
          audio.read(
            0,
            Math.max(0, segment.start_ms / 1000 - AROUND_SECONDS),
            segment.end_ms / 1000 + AROUND_SECONDS,
          ),
});
