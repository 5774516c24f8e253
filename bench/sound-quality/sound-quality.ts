/**
 * Judges sound by models that were trained on listeners' scores (speechmos): voices, packet loss concealment, the echo
 * canceller and the watermark. Parts: voices, concealment, echo, watermark.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { converted } from '../harness/convert.ts';
import { type Report, runBench, runNative } from '../harness/index.ts';
import { wavOf } from '../harness/wav.ts';
import { buildPrograms } from '../kernels/build.ts';
import { PROMPTS, ROUND_TRIP } from '../speak/prompts.ts';
import { Speaker } from '../speak/served-surface.ts';
import { EVERY_VOICE, FASTEST, HIBARI, KOKORO, RATE, voice } from '../speak/voices.ts';
import { type Sample, type Scores, scored } from './score.ts';

const JUDGED = 16_000;
const SPEECH = '../shared/speech';
const CLIP_SECONDS = 10;
/** AECMOS hears so much of a sound. */
const ECHO_SECONDS = 20;
const CODE = '0f1e2d3c4b5a69788796a5b4c3d2e1f0';
const READERS: Readonly<Record<string, string>> = { en: 'ljspeech', de: 'thorsten' };

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const meanOf = (scores: readonly Scores[], name: string): number => mean(scores.map((one) => one[name]!));
const rounded = (value: number): number => Number(value.toFixed(2));

class Workshop {
  readonly folder = mkdtempSync(join(tmpdir(), 'sound-quality-'));
  readonly speaker = new Speaker();
  #files = 0;

  async say(text: string, name: string, mark?: string): Promise<Buffer> {
    const spoken = { ...voice(name), ...(mark === undefined ? {} : { mark }) };
    const samples = await this.speaker.say(text, spoken, { rate: RATE, seed: 1 });
    return Buffer.from(Int16Array.from(samples, (sample) => Math.round(sample * 32_768)).buffer);
  }

  wav(pcm: Buffer, rate = JUDGED): string {
    const path = join(this.folder, `${this.#files++}.wav`);
    writeFileSync(path, wavOf(rate === JUDGED ? pcm : resampled(pcm, rate, JUDGED), JUDGED));
    return path;
  }

  pcm(sound: Buffer): string {
    const path = join(this.folder, `${this.#files++}.pcm`);
    writeFileSync(path, sound);
    return path;
  }

  output(): string {
    const path = join(this.folder, `out-${this.#files++}`);
    mkdirSync(path);
    return path;
  }

  clips(pcm: Buffer, rate: number): string[] {
    const bytes = 2 * rate * CLIP_SECONDS;
    const whole = Math.max(1, Math.floor(pcm.length / bytes));
    return Array.from({ length: whole }, (_, at) =>
      this.wav(pcm.subarray(at * bytes, (at + 1) * bytes), rate),
    );
  }

  close(): void {
    this.speaker.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const resampled = (pcm: Buffer, from: number, to: number): Buffer =>
  converted(['-f', 's16le', '-ar', String(from), '-ac', '1', '-i', '-'], to, pcm);

function recorded(reader: string, seconds: number): Buffer {
  const folder = join(SPEECH, reader);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.wav'))
    .sort();
  const pieces: Buffer[] = [];
  for (let at = 0, bytes = 0; bytes < 2 * RATE * seconds; at++) {
    const piece = converted(['-i', join(folder, files[at % files.length]!)], RATE);
    pieces.push(piece);
    bytes += piece.length;
  }
  return Buffer.concat(pieces).subarray(0, 2 * RATE * seconds);
}

/** Scores all clips at once, because the models take long to open; returns the scores of each list of clips. */
function judged(model: 'dnsmos' | 'plcmos', lists: readonly (readonly string[])[]): Scores[][] {
  const scores = scored(lists.flat().map((file): Sample => ({ model, file })));
  let at = 0;
  return lists.map((list) => {
    at += list.length;
    return scores.slice(at - list.length, at);
  });
}

const DNSMOS = ['ovrl_mos', 'sig_mos', 'bak_mos', 'p808_mos'] as const;
const dnsmosOf = (scores: readonly Scores[]) => DNSMOS.map((name) => rounded(meanOf(scores, name)));

async function voices(report: Report, shop: Workshop, quick: boolean): Promise<void> {
  report.heading('Voices');
  report.text(
    'DNSMOS of sentences of calls in each voice’s language, joined to one clip of about ten seconds: the overall quality, the signal and the background (P.835), and P.808, from 1 to 5. DNSMOS was trained on English listeners and judges noise and damage, not how natural a voice is; `nicole_en_us` whispers. Recorded readers are in the same run.',
  );
  const names = quick ? [FASTEST, HIBARI, KOKORO] : EVERY_VOICE;
  const files: string[] = [];
  for (const name of names) {
    const texts = ROUND_TRIP[voice(name).language]!.slice(0, 3);
    files.push(shop.wav(await shop.say(texts.join(' '), name), RATE));
  }
  const readers = Object.entries(READERS);
  const people = readers.map(([, folder]) => shop.wav(recorded(folder, CLIP_SECONDS), RATE));
  const [scores = []] = judged('dnsmos', [[...files, ...people]]);
  const rows = [...names, ...readers.map(([, folder]) => `${folder}, recorded`)].map((name, at) => ({
    name,
    scores: dnsmosOf([scores[at]!]),
  }));
  report.table(
    ['voice', 'overall', 'signal', 'background', 'P.808'],
    rows.map(({ name, scores: values }) => [name, ...values]),
  );
  const overall = (at: number): number => rounded(scores[at]!.ovrl_mos!);
  for (const name of [FASTEST, HIBARI, KOKORO])
    report.figure({
      name: `DNSMOS overall, ${name}`,
      value: overall(names.indexOf(name)),
      unit: 'MOS',
      peer: 'recorded reader (LJ Speech)',
      peerValue: overall(names.length),
    });
  report.figure({
    name: `DNSMOS overall, the worst of ${names.length} voices`,
    value: Math.min(...names.map((_, at) => overall(at))),
    unit: 'MOS',
  });
}

async function watermark(report: Report, shop: Workshop): Promise<void> {
  report.heading('Watermark');
  report.text('DNSMOS of 30 prompts of calls without the watermark and with it, the same sound otherwise.');
  const text = PROMPTS.join(' ');
  const names = [FASTEST, HIBARI, KOKORO, 'nicole_en_us'];
  const lists: string[][] = [];
  for (const name of names)
    for (const mark of [undefined, CODE])
      lists.push(shop.clips(resampled(await shop.say(text, name, mark), RATE, JUDGED), JUDGED));
  const scores = judged('dnsmos', lists);
  const rows = scores.map((one, at) => [
    names[Math.floor(at / 2)]!,
    at % 2 === 0 ? 'without' : 'with',
    ...dnsmosOf(one),
  ]);
  const losses = names.map(
    (_, at) => meanOf(scores[2 * at]!, 'ovrl_mos') - meanOf(scores[2 * at + 1]!, 'ovrl_mos'),
  );
  report.table(['voice', 'watermark', 'overall', 'signal', 'background', 'P.808'], rows);
  report.figure({
    name: 'DNSMOS overall that the watermark takes, the worst of four voices',
    value: rounded(Math.max(...losses)),
    unit: 'MOS',
  });
}

const CONCEALED = ['ours', 'repeated', 'silent'] as const;

function concealment(report: Report, shop: Workshop, programs: Record<string, string>, quick: boolean): void {
  report.heading('Packet loss concealment');
  report.text(
    'PLCMOS of two recorded readers (LJ Speech and Thorsten) in packets of 20 ms, whose losses come two at a time on average: concealed as for G.711, the last packet repeated, and silence. The same packets are lost in all three. PLCMOS was trained on sound at 16 kHz, so that the telephone’s 8 kHz scores lower without any loss.',
  );
  const sound = Buffer.concat(Object.values(READERS).map((reader) => recorded(reader, quick ? 10 : 40)));
  const losses = quick ? [0, 0.05] : [0, 0.01, 0.05, 0.1];
  const cells: { rate: number; loss: number; clips: string[][] }[] = [];
  for (const rate of [8_000, 16_000]) {
    const speech = shop.pcm(resampled(sound, RATE, rate));
    for (const loss of losses) {
      const folder = shop.output();
      runNative(programs.impairments!, ['conceal', speech, String(rate), String(loss), folder]);
      const clips = CONCEALED.map((name) => shop.clips(readFileSync(join(folder, `${name}.pcm`)), rate));
      cells.push({ rate, loss, clips });
    }
  }
  const scores = judged(
    'plcmos',
    cells.flatMap(({ clips }) => clips),
  );
  const rows = cells.map(({ rate, loss }, at) => [
    rate,
    `${100 * loss} %`,
    ...CONCEALED.map((_, kind) => rounded(meanOf(scores[at * CONCEALED.length + kind]!, 'plcmos'))),
  ]);
  for (const [rate, loss, ours, repeated] of rows)
    if (loss === '5 %')
      report.figure({
        name: `PLCMOS at 5 % loss, ${rate} Hz`,
        value: Number(ours),
        unit: 'MOS',
        peer: 'the last packet repeated',
        peerValue: Number(repeated),
      });
  report.table(['rate, Hz', 'lost', 'concealed', 'repeated', 'silence'], rows);
}

async function echo(report: Report, shop: Workshop, programs: Record<string, string>): Promise<void> {
  report.heading('Echo');
  report.text(
    'AECMOS at 16 kHz, over the first 20 s of a call and the next: how little echo is heard, and how little else is damaged. A room’s echo of the agent’s voice comes back into a line on which nobody or a recorded reader speaks. `removed` is the level of the echo before the canceller and after it, where nobody speaks. No person listens to our canceller’s output: it goes to the detectors and the recognizer, and passes a line unchanged until an echo on it is certain. libspeexdsp has a filter of the same half second.',
  );
  const length = 2 * JUDGED * 2 * ECHO_SECONDS;
  const far = resampled(await shop.say(PROMPTS.join(' '), KOKORO), RATE, JUDGED).subarray(0, length);
  const reader = resampled(recorded('ljspeech', 2 * ECHO_SECONDS), RATE, JUDGED);
  const near = { st: Buffer.alloc(length), dt: reader } as const;
  const trials: Trial[] = [];
  for (const talk of ['st', 'dt'] as const)
    for (const [delay, db] of PATHS) {
      const folder = shop.output();
      const sounds = [far, near[talk]].map((sound) => shop.pcm(sound));
      const path = [String(JUDGED), String(delay), String(db), folder];
      runNative(programs.impairments!, ['echo', ...sounds, ...path]);
      const heard = CANCELLERS.filter(({ file }) => existsSync(join(folder, file)));
      for (const [at, stretch] of STRETCHES.entries()) {
        const part = (sound: Buffer) => sound.subarray((length / 2) * at, (length / 2) * (at + 1));
        const read = (file: string) => part(readFileSync(join(folder, file)));
        const mic = read('mic.pcm');
        const [lpb, recording] = [shop.wav(part(far)), shop.wav(mic)];
        for (const { file, who } of heard) {
          const enh = read(file);
          const removed = talk === 'st' ? levelDb(mic) - levelDb(enh) : null;
          const sample = { model: 'aecmos', talk, lpb, mic: recording, enh: shop.wav(enh) } as const;
          trials.push({ talk, delay, db, stretch, who, removed, sample });
        }
      }
    }
  const scores = scored(trials.map(({ sample }) => sample));
  report.table(
    ['speaks', 'delay, ms', 'echo, dB', 'seconds', 'canceller', 'echo', 'other damage', 'removed, dB'],
    trials.map(({ talk, delay, db, stretch, who, removed }, at) => [
      talk === 'st' ? 'nobody' : 'the reader',
      delay,
      db,
      stretch,
      who,
      rounded(scores[at]!.echo_mos!),
      rounded(scores[at]!.deg_mos!),
      removed === null ? null : rounded(removed),
    ]),
  );
  for (const [talk, score, says] of [
    ['st', 'echo_mos', 'AECMOS echo, the agent alone speaks'],
    ['dt', 'echo_mos', 'AECMOS echo, both speak'],
    ['dt', 'deg_mos', 'AECMOS other damage, both speak'],
  ] as const)
    for (const stretch of STRETCHES) {
      const meanFor = (who: string): number | null => {
        const own = scores.filter((_, at) => {
          const trial = trials[at]!;
          return trial.talk === talk && trial.stretch === stretch && trial.who === who;
        });
        return own.length === 0 ? null : rounded(meanOf(own, score));
      };
      const peer = meanFor('libspeexdsp');
      report.figure({
        name: `${says}, ${stretch} s`,
        value: meanFor('ours')!,
        unit: 'MOS',
        peer: peer === null ? 'no canceller' : 'libspeexdsp',
        peerValue: peer ?? meanFor('none')!,
      });
    }
  if (trials.every(({ who }) => who !== 'libspeexdsp'))
    report.text('libspeexdsp was not measured: apt-get install libspeexdsp-dev.');
}

function levelDb(pcm: Buffer): number {
  let sum = 1;
  for (let at = 0; at < pcm.length; at += 2) sum += pcm.readInt16LE(at) ** 2;
  return 10 * Math.log10(sum / (pcm.length / 2));
}

interface Trial {
  readonly talk: 'st' | 'dt';
  readonly delay: number;
  readonly db: number;
  readonly stretch: string;
  readonly who: string;
  readonly removed: number | null;
  readonly sample: Sample;
}

const STRETCHES = [`0 to ${ECHO_SECONDS}`, `${ECHO_SECONDS} to ${2 * ECHO_SECONDS}`];
/** The delay of the echo in milliseconds, and its level. */
const PATHS = [
  [20, -6],
  [120, -12],
  [250, -20],
] as const;
const CANCELLERS = [
  { file: 'mic.pcm', who: 'none' },
  { file: 'ours.pcm', who: 'ours' },
  { file: 'speexdsp.pcm', who: 'libspeexdsp' },
];

await runBench('sound-quality', 'Sound quality', async (report, { quick, parts }) => {
  const shop = new Workshop();
  try {
    await shop.speaker.engine.prepared();
    const isRun = (part: string) => parts.length === 0 || parts.includes(part);
    const programs = isRun('concealment') || isRun('echo') ? buildPrograms(['impairments']) : {};
    report.text(
      'Scores of Microsoft’s DNSMOS, PLCMOS and AECMOS, models that were trained on what listeners said. They stand in for listeners, whom nobody asked.',
    );
    if (isRun('voices')) await voices(report, shop, quick);
    if (isRun('concealment')) concealment(report, shop, programs, quick);
    if (isRun('echo')) await echo(report, shop, programs);
    if (isRun('watermark')) await watermark(report, shop);
  } finally {
    shop.close();
  }
});
