import type { DubSegmentRow } from '../../../foundation/storage/tables/dub.ts';
import type { ToTranslate, Way } from '../doors/index.ts';
import { StepFailed } from '../fault.ts';
import { segmentsOf, updateDub, updateSegment } from '../store.ts';
import { requestOf } from '../views.ts';
import { between, PROGRESS, type Step, tell, thousandths } from './step.ts';

/** Around a segment: words begin before they are heard to. */
const AROUND_SECONDS = 0.15;

/** Every segment that has no translation gets one, from the best door that gives it. */
export async function translate(step: Step): Promise<void> {
  const { deps, row, job, reach } = step;
  const segments = await segmentsOf(deps.storage.db, reach, row.id);
  let before = '';
  for (const [at, segment] of segments.entries()) {
    if (segment.translation === null) {
      const { text, by } = await translated(step, segment, before, null);
      const progress = between(PROGRESS.heard, PROGRESS.translated, (at + 1) / segments.length);
      await job.checkpoint(progress, async (trx) => {
        await updateSegment(trx, reach, row.id, segment.number, { translation: text, translated_by: by });
        await updateDub(trx, reach, row.id, { progress: thousandths(progress) });
      });
    }
    before = segment.text;
  }
  await tell(step, { status: 'synthesizing', progress: thousandths(PROGRESS.translated) });
}

/** A shorter wording; null: no door of the direction can be asked for one. */
export async function shortened(
  step: Step,
  segment: DubSegmentRow,
  mostCharacters: number,
): Promise<string | null> {
  const ways = (await step.deps.directions.waysOf(step.row)).filter(({ door }) => door.shortens);
  if (ways.length === 0) return null;
  try {
    return (await translated(step, segment, '', mostCharacters, ways)).text;
  } catch (error) {
    if (error instanceof StepFailed) return null;
    throw error;
  }
}

async function translated(
  step: Step,
  segment: DubSegmentRow,
  before: string,
  mostCharacters: number | null,
  known?: readonly Way[],
): Promise<{ readonly text: string; readonly by: string }> {
  const { deps, row, signal } = step;
  const ways = (known ?? (await deps.directions.waysOf(row))).filter(
    ({ door }) => door.reads === 'text' || segment.text_edited === 0,
  );
  const what = toTranslate(step, segment, before, mostCharacters);
  for (const { door, offer } of ways) {
    try {
      return { text: await door.translate(offer, what, signal), by: door.name };
    } catch (error) {
      signal.throwIfAborted();
      deps.directions.doubt(door, error);
    }
  }
  const message = `No translation from ${row.source} to ${row.target} could be had. What is done is kept: render it again later.`;
  throw new StepFailed('translation_failed', message);
}

const toTranslate = (
  { row, audio }: Step,
  segment: DubSegmentRow,
  before: string,
  mostCharacters: number | null,
): ToTranslate => ({
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
