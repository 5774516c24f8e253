/** Streams at real time: first words, endpoints, finals, and what a stream costs. */
import { type Clip, overTelephone, readClip, speechBounds, spokenClips, thin } from './clips.ts';
import { type Service, startService } from './service.ts';
import { type Streamed, streamClip } from './stream-client.ts';
import { firstWord, plainWords, type Score, scoreText } from './words.ts';

export const LEAD_SECONDS = 0.5;
export const TAIL_SECONDS = 2;
export const ENDPOINTING_MS = 300;

/** What a caller's audio goes through. */
export type Line = 'wide' | 'telephone';

/** Of one clip; times in ms. */
export interface Told extends Score {
  /** The last final, less the true end of speech; null when there was none that silence ended. */
  readonly toFinal: number | null;
  /** The endpoint before that final, less the true end. */
  readonly toEndpoint: number | null;
  /** The first text shown, less the true start; null when its first word was wrong, or none came. */
  readonly firstPartial: number | null;
  readonly partialed: boolean;
  /** For each word: first shown in its place, less when it had been said. */
  readonly emission: readonly number[];
  readonly falseEndpoints: number;
}

export interface StreamsData {
  readonly streams: number;
  readonly told: readonly Told[];
  /** Seconds of processor in a second, for each stream. */
  readonly cpuEach: number;
}

export interface StreamsSizes {
  /** Of audio, all clips together. */
  readonly seconds: number;
  readonly streams: number;
}

/** English clips as long as an utterance may be. */
const clipsFor = (seconds: number) =>
  thin(
    spokenClips().filter((clip) => clip.language === 'en' && clip.seconds >= 1 && clip.seconds <= 14),
    seconds,
  );

export async function measureStreams(line: Line, sizes: StreamsSizes): Promise<StreamsData> {
  const service = await startService({ TRUNKLINE_DEVICE: 'cpu' });
  try {
    await sayAll(service, line, clipsFor(1).slice(0, 1), 1);
    return await sayAll(service, line, clipsFor(sizes.seconds), sizes.streams);
  } finally {
    service.stop();
  }
}

/** More and more streams on one server, until finals are late. */
export async function measureDensity(
  streams: readonly number[],
  secondsEach: number,
  late: (data: StreamsData) => boolean,
): Promise<StreamsData[]> {
  const service = await startService({ TRUNKLINE_DEVICE: 'cpu' });
  const out: StreamsData[] = [];
  try {
    await sayAll(service, 'wide', clipsFor(1).slice(0, 1), 1);
    for (const count of streams) {
      out.push(await sayAll(service, 'wide', clipsFor(count * secondsEach), count));
      if (late(out.at(-1)!)) break;
    }
  } finally {
    service.stop();
  }
  return out;
}

/** `streams` callers at once, each with the next clip as soon as it is free. */
async function sayAll(
  service: Service,
  line: Line,
  clips: readonly Clip[],
  streams: number,
): Promise<StreamsData> {
  const ready = clips.map((clip) => prepare(line, clip));
  const told: Told[] = [];
  let next = 0;
  const before = service.cpuSeconds();
  const began = performance.now();
  const caller = async (number: number) => {
    // Callers do not begin in step.
    await new Promise((resolve) => setTimeout(resolve, (number * 1000) / streams));
    while (next < ready.length) told.push(await say(service, ready[next++]!));
  };
  await Promise.all(Array.from({ length: streams }, (_, number) => caller(number)));
  const wall = (performance.now() - began) / 1000;
  return { streams, told, cpuEach: (service.cpuSeconds() - before) / wall / streams };
}

interface Ready {
  readonly clip: Clip;
  readonly pcm: Buffer;
  readonly rate: number;
  /** Seconds from the stream's start. */
  readonly start: number;
  readonly end: number;
}

function prepare(line: Line, clip: Clip): Ready {
  const rate = line === 'wide' ? 16000 : 8000;
  const silence = (seconds: number) => Buffer.alloc(Math.round(seconds * rate) * 2);
  const clean = readClip(clip.path);
  const bounds = speechBounds(clean, 16000);
  const sound = line === 'wide' ? clean : overTelephone(clip.path);
  const pcm = Buffer.concat([silence(LEAD_SECONDS), sound, silence(TAIL_SECONDS)]);
  return { clip, pcm, rate, start: LEAD_SECONDS + bounds.start, end: LEAD_SECONDS + bounds.end };
}

async function say(service: Service, { clip, pcm, rate, start, end }: Ready): Promise<Told> {
  const query = { language: 'en', endpointing_ms: String(ENDPOINTING_MS) };
  const streamed = await streamClip(service, pcm, rate, query);
  const of = (type: string) => streamed.arrived.filter((one) => one.frame.type === type);
  const finals = of('final');
  const last = finals.filter((one) => one.frame.text !== '').at(-1);
  const finalised = last?.frame.endpoint_reason === 'silence';
  const endpoint = of('speech_final').find((one) => one.frame.utterance_id === last?.frame.utterance_id);
  const partial = streamed.arrived.find((one) => one.frame.text);
  const right = partial !== undefined && firstWord(partial.frame.text, 'en') === firstWord(clip.text, 'en');
  return {
    ...scoreText(clip.text, finals.map((one) => one.frame.text).join(' '), 'en'),
    toFinal: finalised ? last.at - end * 1000 : null,
    toEndpoint: finalised && endpoint ? endpoint.at - end * 1000 : null,
    firstPartial: right ? partial.at - start * 1000 : null,
    partialed: partial !== undefined,
    emission: emissions(streamed),
    falseEndpoints: of('speech_final').filter(
      (one) => one.frame.endpoint_reason === 'silence' && one.at < end * 1000,
    ).length,
  };
}

/** For each word of a final: when it was first shown in its place, less when it had been said. */
function emissions(streamed: Streamed): number[] {
  const delays: number[] = [];
  for (const { frame } of streamed.arrived.filter((one) => one.frame.type === 'final')) {
    const mine = streamed.arrived.filter(
      (one) => one.frame.utterance_id === frame.utterance_id && one.frame.text,
    );
    for (const [index, word] of frame.words.entries()) {
      const plain = plainWords(word.word, 'en').join(' ');
      const shown = mine.find(
        (one) => plainWords(one.frame.text.split(' ')[index] ?? '', 'en').join(' ') === plain,
      );
      if (shown) delays.push(shown.at - word.end * 1000);
    }
  }
  return delays;
}
