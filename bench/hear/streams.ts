import { type Clip, overTelephone, readClip, speechBounds, spokenClips, thin } from './clips.ts';
import { type Service, startService } from './service.ts';
import { type Arrived, type Streamed, streamClip } from './stream-client.ts';
import { firstWord, plainWords, type Score, scoreText } from './words.ts';

export const LEAD_SECONDS = 0.5;
export const TAIL_SECONDS = 2;
export const ENDPOINTING_MS = 300;

export type Line = 'wide' | 'telephone';

export interface StreamMeasurement extends Score {
  /** The last final minus the true end of speech; null when no final followed a silence. */
  readonly toFinal: number | null;
  /** The endpoint before that final, minus the true end. */
  readonly toEndpoint: number | null;
  /** The first partial minus the true start; null when none came. */
  readonly firstPartial: number | null;
  readonly wrongFirst: boolean;
  /** The first partial with the right first word, minus the true start; null when none had it. */
  readonly firstRight: number | null;
  readonly emission: readonly number[];
  readonly falseEndpoints: number;
  readonly refused: boolean;
}

export interface StreamsData {
  readonly streams: number;
  readonly streamed: readonly StreamMeasurement[];
  /** CPU seconds per second, for each stream. */
  readonly cpuEach: number;
}

export interface StreamsSizes {
  readonly seconds: number;
  readonly streams: number;
}

export const clipsFor = (seconds: number): Clip[] =>
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

export interface ConcurrentStreamsData {
  readonly alone: StreamsData;
  readonly concurrent: StreamsData;
  readonly uploaded: number;
}

/** Measures the same callers twice: alone, and while a long recording is uploaded again and again. */
export async function measureConcurrentStreams(
  sizes: StreamsSizes,
  recording: Buffer,
): Promise<ConcurrentStreamsData> {
  const service = await startService({ TRUNKLINE_DEVICE: 'cpu' });
  try {
    const clips = clipsFor(sizes.seconds);
    await sayAll(service, 'wide', clips.slice(0, 1), 1);
    const alone = await sayAll(service, 'wide', clips, sizes.streams);
    let over = false;
    let uploaded = 0;
    const uploads = (async () => {
      while (!over) uploaded += await upload(service, recording);
    })();
    const concurrent = await sayAll(service, 'wide', clips, sizes.streams);
    over = true;
    uploads.catch(() => undefined);
    return { alone, concurrent, uploaded };
  } finally {
    service.stop();
  }
}

async function upload(service: Service, recording: Buffer): Promise<number> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(recording)]), 'long.wav');
  form.append('response_format', 'verbose_json');
  const response = await fetch(`${service.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}` },
    body: form,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { duration: number }).duration;
}

const CALLERS_A_KEY = 10;

/** Adds streams on one server, with the same clips each time, until finals are late or the server refuses one. */
export async function measureDensity(
  streams: readonly number[],
  seconds: number,
  late: (data: StreamsData) => boolean,
): Promise<StreamsData[]> {
  const keys = Math.ceil(Math.max(...streams) / CALLERS_A_KEY);
  const service = await startService({ TRUNKLINE_DEVICE: 'cpu' }, keys);
  const out: StreamsData[] = [];
  try {
    await sayAll(service, 'wide', clipsFor(1).slice(0, 1), 1);
    for (const count of streams) {
      out.push(await sayAll(service, 'wide', clipsFor(seconds), count));
      if (late(out.at(-1)!) || out.at(-1)!.streamed.some((one) => one.refused)) break;
    }
  } finally {
    service.stop();
  }
  return out;
}

async function sayAll(
  service: Service,
  line: Line,
  clips: readonly Clip[],
  streams: number,
): Promise<StreamsData> {
  const ready = clips.map((clip) => prepare(line, clip));
  const streamed: StreamMeasurement[] = [];
  let next = 0;
  const before = service.cpuSeconds();
  const began = performance.now();
  const caller = async (number: number) => {
    await new Promise((resolve) => setTimeout(resolve, (number * 1000) / streams));
    const key = service.keys[number % service.keys.length]!;
    while (next < ready.length) streamed.push(await say(service, key, ready[next++]!));
  };
  await Promise.all(Array.from({ length: streams }, (_, number) => caller(number)));
  const wallSeconds = (performance.now() - began) / 1000;
  return { streams, streamed, cpuEach: (service.cpuSeconds() - before) / wallSeconds / streams };
}

interface Ready {
  readonly clip: Clip;
  readonly pcm: Buffer;
  readonly rate: number;
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

async function say(
  service: Service,
  key: string,
  { clip, pcm, rate, start, end }: Ready,
): Promise<StreamMeasurement> {
  const query = { language: 'en', endpointing_ms: String(ENDPOINTING_MS) };
  const streamed = await streamClip(service, pcm, rate, query, key);
  const of = (type: string) => streamed.arrived.filter((one) => one.frame.type === type);
  const finals = of('final');
  const last = finals.filter((one) => one.frame.text !== '').at(-1);
  const finalised = last?.frame.endpoint_reason === 'silence';
  const endpoint = of('speech_final').find((one) => one.frame.utterance_id === last?.frame.utterance_id);
  const shown = streamed.arrived.filter((one) => one.frame.text);
  const isRight = (one: Arrived) => firstWord(one.frame.text, 'en') === firstWord(clip.text, 'en');
  const right = shown.find(isRight);
  return {
    ...scoreText(clip.text, finals.map((one) => one.frame.text).join(' '), 'en'),
    toFinal: finalised ? last.at - end * 1000 : null,
    toEndpoint: finalised && endpoint ? endpoint.at - end * 1000 : null,
    firstPartial: shown[0] ? shown[0].at - start * 1000 : null,
    wrongFirst: shown[0] !== undefined && !isRight(shown[0]),
    firstRight: right ? right.at - start * 1000 : null,
    emission: emissions(streamed),
    falseEndpoints: of('speech_final').filter(
      (one) => one.frame.endpoint_reason === 'silence' && one.at < end * 1000,
    ).length,
    refused: of('error').some((one) => one.frame.error.code === 'capacity'),
  };
}

/**
 * Returns for each word of a final the time at which it first stood in its place, minus the time at which it was
 * spoken.
 */
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
