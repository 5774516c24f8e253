import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { Models } from '../../src/foundation/platform/models/index.ts';

export const PEER_TEXT = 'You can cancel free of charge until the day before.';
const PHONEMES = 'juː kæn kˈænsəl fɹˈiː ʌv tʃˈɑːɹdʒ ʌntˈɪl ðə dˈeɪ bᵻfˈoːɹ.';
const RATE = 24_000;

export const SPELLED: readonly (readonly [text: string, phonemes: string])[] = [
  [PEER_TEXT, 'ju kæn kˈænsᵊl fɹˈi ʌv ʧˈɑɹʤ ʌntˈɪl ðə dˈA bᵻfˈɔɹ.'],
  ['Please hold the line while I look that up.', 'plˈiz hˈOld ðə lˈIn wˌIl ˌI lˈʊk ðæt ˈʌp.'],
  ['I have sent you an email with the details.', 'ˌI hæv sˈɛnt ju ən ˈimAl wɪððə ditˈAlz.'],
  ['We deliver within three to five days.', 'wi dᵻlˈɪvəɹ wɪðˌɪn θɹˈi tə fˈIv dˈAz.'],
];

export class Published {
  readonly #session: InferenceSession;
  readonly #ids: Record<string, number>;
  readonly #table: Buffer;

  private constructor(session: InferenceSession, models: Models) {
    const read = JSON.parse(readFileSync(models.path('kokoro/vocab.json'), 'utf8')) as {
      vocab?: Record<string, number>;
    };
    this.#session = session;
    this.#ids = read.vocab ?? (read as Record<string, number>);
    this.#table = readFileSync(models.path('kokoro/voices/af_heart.bin'));
  }

  static async open(threads: number): Promise<Published> {
    const models = new Models();
    const options = { intraOpNumThreads: threads, interOpNumThreads: 1 };
    return new Published(await InferenceSession.create(models.path('kokoro/kokoro.onnx'), options), models);
  }

  async say(phonemes: string): Promise<Float32Array> {
    const tokens = [...phonemes].map((sign) => this.#ids[sign]).filter((id) => id !== undefined);
    const style = new Float32Array(this.#table.buffer, this.#table.byteOffset + tokens.length * 1024, 256);
    const padded = BigInt64Array.from([0, ...tokens, 0], BigInt);
    const [audio] = Object.values(
      await this.#session.run({
        tokens: new Tensor('int64', padded, [1, padded.length]),
        style: new Tensor('float32', style.slice(), [1, 256]),
        speed: new Tensor('float32', [1], [1]),
      }),
    );
    return audio!.data as Float32Array;
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}

/** Returns the milliseconds until the sentence is complete, and its seconds; the median of `runs`. */
export async function publishedGraph(
  runs: number,
  threads: number,
): Promise<{ ms: number; seconds: number }> {
  const published = await Published.open(threads);
  const times: number[] = [];
  let seconds = 0;
  for (let run = -1; run < runs; run++) {
    const began = performance.now();
    const audio = await published.say(PHONEMES);
    if (run >= 0) times.push(performance.now() - began);
    seconds = audio.length / RATE;
  }
  await published.close();
  return { ms: times.sort((a, b) => a - b)[runs >> 1] ?? 0, seconds };
}

export interface KokoroJs {
  readonly version: string;
  readonly runtime: string;
  readonly ms: number;
  readonly seconds: number;
}

/** Runs kokoro-js in a process and a folder of its own; returns the reason where it does not run. */
export function kokoroJs(runs: number): KokoroJs | string {
  const models = new Models();
  const program = resolve('bench/speak/peer-kokoro-js.mjs');
  const files = [models.path('kokoro/kokoro.onnx'), models.path('kokoro/vocab.json')];
  const given = [program, resolve('build-bench/peers/kokoro-js'), ...files, String(runs), PEER_TEXT];
  const done = spawnSync(process.execPath, given, { encoding: 'utf8', timeout: 240_000 });
  if (done.status !== 0) return (done.stderr || String(done.error ?? done.signal)).trim().slice(-500);
  return JSON.parse(done.stdout) as KokoroJs;
}
