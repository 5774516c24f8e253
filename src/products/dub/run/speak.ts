import type { DubSegmentRow } from '../../../foundation/storage/tables/dub.ts';
import { capacityShareOf, type EngineVoice } from '../../../media/engine/index.ts';
import { mergeManners, PronunciationDictionary } from '../../../speech/voices/index.ts';
import type { CastVoice, SpokenSegment } from '../contract.ts';
import { fileKey } from '../keys-and-queues.ts';
import { segmentsOf, updateDub, updateSegment } from '../store.ts';
import { castOf, requestOf, spokenOf } from '../views.ts';
import { type SpeakerSample, say } from '../voices/index.ts';
import { fitToDuration, type Slot } from './duration-fit.ts';
import { between, type DubStep, PROGRESS, thousandths } from './step.ts';
import { shortened } from './translate.ts';

const LISTENED_SECONDS = 30;
/** The shortest pause between two speakers. */
const PAUSE_MS = 60;
/** A segment may continue into the following pause by this time. */
const MOST_BEYOND_MS = 1500;
const LEAST_SLOT_MS = 200;

/** Speaks every segment that is not spoken yet; the others keep their audio to the bit. */
export async function speakSegments(step: DubStep): Promise<void> {
  const { deps, row, job, scope } = step;
  const segments = await segmentsOf(deps.storage.db, scope, row.id);
  const chosen = requestOf(row).voice !== null;
  const cast = castOf(row) ?? (chosen ? [] : await castSpeakers(step, segments));
  const known = new Map(segments.map((segment) => [segment.number, spokenOf(segment)]));
  for (const [at, segment] of segments.entries()) {
    if (known.get(segment.number)) continue;
    const voice = await voiceOf(step, segment, cast);
    const place = placeOf(segments, at, known, step.audio.seconds * 1000);
    const spoken = await speakSegment(step, segment, voice, place);
    known.set(segment.number, spoken);
    const progress = between(PROGRESS.translated, PROGRESS.spoken, (at + 1) / segments.length);
    await job.checkpoint(progress, async (trx) => {
      await updateSegment(trx, scope, row.id, segment.number, { spoken: JSON.stringify(spoken) });
      await updateDub(trx, scope, row.id, { progress: thousandths(progress) });
    });
  }
}

interface SegmentSlot extends Slot {
  readonly at: number;
  readonly end: number;
}

function placeOf(
  segments: readonly DubSegmentRow[],
  at: number,
  known: ReadonlyMap<number, SpokenSegment | null>,
  endOfAll: number,
): SegmentSlot {
  const { start_ms: start, end_ms: end } = segments[at] as DubSegmentRow;
  const before = segments.slice(0, at).flatMap(({ number }) => known.get(number) ?? []);
  const begin = Math.max(start, ...before.map((spoken) => spoken.at_ms + spoken.duration_ms + PAUSE_MS));
  const behind = segments.slice(at + 1).map(({ number, start_ms }) => known.get(number)?.at_ms ?? start_ms);
  const latest = Math.min(
    endOfAll,
    end + MOST_BEYOND_MS,
    ...behind.map((ms) => Math.max(ms - PAUSE_MS, end)),
  );
  const milliseconds = Math.max(LEAST_SLOT_MS, end - begin);
  return { at: begin, end, milliseconds, most: Math.max(milliseconds, latest - begin) };
}

interface ChosenVoice {
  readonly id: string;
  readonly engine: EngineVoice;
}

async function voiceOf(
  step: DubStep,
  segment: DubSegmentRow,
  cast: readonly CastVoice[],
): Promise<ChosenVoice> {
  const { deps, row, scope } = step;
  const named = segment.voice ?? requestOf(row).voice;
  if (named !== null) {
    const { id, engine } = await deps.catalogue.resolve(scope, named);
    return { id, engine };
  }
  const own = cast.find(({ speaker }) => speaker === segment.speaker) ?? (cast[0] as CastVoice);
  const engine = await deps.catalogue.marked(scope, deps.voices.engineVoice(own, row.target));
  return { id: own.voice ?? own.name, engine };
}

async function speakSegment(
  step: DubStep,
  segment: DubSegmentRow,
  { id, engine: voice }: ChosenVoice,
  place: SegmentSlot,
): Promise<SpokenSegment> {
  const { deps, row, signal } = step;
  const manner = mergeManners(voice.manner);
  const dictionary = new PronunciationDictionary(await deps.catalogue.pronunciations(step.scope, row.target));
  const fitted = await fitToDuration(segment.translation ?? '', place, {
    say: (text, rate) =>
      say(
        deps.engine,
        { ...voice, manner },
        dictionary.apply(text),
        rate,
        signal,
        capacityShareOf(row.environment),
      ),
    reword: (most) => shortened(step, segment, most),
  });
  const name = `segment-${segment.number}-r${row.revision}`;
  const payer = { orgId: row.org_id, environment: row.environment, bytes: fitted.pcm.length };
  await deps.blobs.put(fileKey(row.id, name), [fitted.pcm], { signal, payer });
  return {
    name,
    voice: id,
    text: fitted.text,
    at_ms: Math.round(place.at),
    duration_ms: Math.round(fitted.milliseconds),
    rate: Math.round(fitted.rate * 1000) / 1000,
    fit: fitted.fit,
    error_ms: Math.round(place.at + fitted.milliseconds - place.end),
  };
}

async function castSpeakers(
  step: DubStep,
  segments: readonly DubSegmentRow[],
): Promise<readonly CastVoice[]> {
  const { deps, row, job, scope, signal } = step;
  const speakers = [...new Set(segments.map(({ speaker }) => speaker))];
  const sounds: SpeakerSample[] = [];
  for (const speaker of speakers) sounds.push({ speaker, pcm: await soundOf(step, segments, speaker) });
  const cast = await deps.voices.cast(sounds, row.target, requestOf(row).consent, signal);
  await job.checkpoint(PROGRESS.translated, async (trx) => {
    await updateDub(trx, scope, row.id, { speakers: JSON.stringify(cast) });
  });
  return cast;
}

async function soundOf(
  { audio }: DubStep,
  segments: readonly DubSegmentRow[],
  speaker: string,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let seconds = 0;
  // The longest segments come first, because they contain the least speech of others.
  const own = segments
    .filter((segment) => segment.speaker === speaker)
    .sort((a, b) => b.end_ms - b.start_ms - (a.end_ms - a.start_ms));
  for (const { start_ms, end_ms } of own) {
    if (seconds >= LISTENED_SECONDS) break;
    const end = Math.min(end_ms / 1000, start_ms / 1000 + LISTENED_SECONDS - seconds);
    parts.push(await audio.read(0, start_ms / 1000, end));
    seconds += end - start_ms / 1000;
  }
  return Buffer.concat(parts);
}
