/**
 * Measures what the people who listen gain by noise suppression: callers of AN4 at 8 kHz u-law among a café and a street,
 * as DNSMOS judges them, beside RNNoise in the same run; and what it costs and delays. The denoiser was chosen on other
 * speakers.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { convertAudio, denoiseLane, Engine, resample } from '../../src/media/engine/index.ts';
import { converted } from '../harness/convert.ts';
import { percentile, runBench, wavOf } from '../harness/index.ts';
import { askPython } from '../harness/peer-python.ts';
import { type Sample, type Scores, scored } from '../sound-quality/score.ts';

const LINE = 8000;
const JUDGED = 16_000;
const SPEECH = '../shared/speech';
const NOISES = { café: 'noise/coffee-shop.wav', street: 'speechbrain/noise1.wav' } as const;
const DISTANCES_DB = [10, 5, 0] as const;
const SPEAKERS = 12;
/** The level of a caller, as a share of full scale. */
const LEVEL = 0.06;
const RNNOISE = { name: 'RNNoise', folder: 'denoise', program: 'rnnoise.py' } as const;
const DNSMOS = ['ovrl_mos', 'sig_mos', 'bak_mos', 'p808_mos'] as const;

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const rounded = (value: number): number => Number(value.toFixed(2));

/** Samples of full scale 1 at the rate of the line. */
function recorded(path: string): Float32Array {
  const pcm = converted(['-i', join(SPEECH, path)], LINE);
  return Float32Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt16LE(2 * at) / 32_768);
}

const rms = (samples: Float32Array): number => Math.sqrt(mean([...samples].map((sample) => sample ** 2)));
const scaled = (samples: Float32Array, level: number): Float32Array => {
  const gain = level / rms(samples);
  return samples.map((sample) => sample * gain);
};

/** Returns these samples as a line of u-law brings them. */
function online(samples: Float32Array): Buffer {
  const pcm = Buffer.alloc(2 * samples.length);
  for (const [at, sample] of samples.entries())
    pcm.writeInt16LE(Math.round(32_767 * Math.max(-1, Math.min(1, sample))), 2 * at);
  return Buffer.from(convertAudio('pcmu', convertAudio('pcm16', pcm, 'pcmu'), 'pcm16'));
}

/** DTLN was chosen among denoisers on these speakers (docs/decisions/152-denoising-for-listeners.md). */
const CHOSEN_ON = 'fclc fjmd fplp marh mcfl mcsc mdms2 mdxs meht menk mscg2 mtxj'.split(' ');

/** Other speakers of AN4, one clip of each. */
function heldOutClips(): string[] {
  const speakers = new Map<string, string[]>();
  for (const name of readdirSync(join(SPEECH, 'an4'))
    .filter((one) => one.endsWith('.wav'))
    .sort()) {
    const speaker = name.split('-')[1]!;
    speakers.set(speaker, [...(speakers.get(speaker) ?? []), name]);
  }
  const names = [...speakers.keys()].filter((name) => !CHOSEN_ON.includes(name)).sort();
  const long = (name: string) => recorded(join('an4', name)).length >= 2.5 * LINE;
  return names.flatMap((name) => speakers.get(name)!.find(long) ?? []).slice(0, SPEAKERS);
}

interface Line {
  readonly noise: string;
  readonly db: number;
  readonly clean: Buffer;
  readonly heard: Buffer;
}

function lines(clips: readonly string[]): Line[] {
  const out: Line[] = [];
  for (const [at, clip] of clips.entries()) {
    const pause = new Float32Array(LINE);
    const said = Float32Array.from([...pause, ...scaled(recorded(join('an4', clip)), LEVEL), ...pause]);
    const clean = online(said);
    out.push({ noise: 'none', db: 0, clean, heard: clean });
    for (const [noise, path] of Object.entries(NOISES)) {
      const all = recorded(path);
      const second = all.subarray(all.length / 2);
      const from = (at * LINE) % Math.max(1, second.length - said.length);
      const piece = Float32Array.from(said, (_, i) => second[(from + i) % second.length]!);
      for (const db of DISTANCES_DB) {
        const behind = scaled(piece, LEVEL * 10 ** (-db / 20));
        out.push({ noise, db, clean, heard: online(said.map((sample, i) => sample + behind[i]!)) });
      }
    }
  }
  return out;
}

/** Resolves with as much audio as went in, from the lane that a listener of a call has. */
async function denoised(engine: Engine, pcm: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  const frame = (2 * LINE) / 50;
  await new Promise<void>((resolve, reject) => {
    const lane = engine.open(
      denoiseLane,
      { rate: LINE, codec: 'pcm16' },
      {
        audio: (bytes) => void parts.push(Buffer.from(bytes)),
        closed: (status) => (status === 'ok' ? resolve() : reject(new Error(status))),
      },
    );
    let at = 0;
    const push = () => {
      while (at < pcm.length && lane.push(pcm.subarray(at, at + frame)) === 'accepted') at += frame;
      if (at < pcm.length) setTimeout(push, 5);
      else lane.close();
    };
    push();
  });
  return Buffer.concat(parts);
}

/** Returns how long after a frame its own audio comes, in milliseconds, of a call in real time. */
async function delays(engine: Engine, pcm: Buffer, frames: number): Promise<number[]> {
  const pushed: number[] = [];
  const late: number[] = [];
  const frame = (2 * LINE) / 50;
  await new Promise<void>((resolve) => {
    const lane = engine.open(
      denoiseLane,
      { rate: LINE, codec: 'pcm16' },
      {
        audio: () => void late.push(performance.now() - pushed[late.length]!),
        closed: () => resolve(),
      },
    );
    const began = performance.now();
    const push = () => {
      const at = pushed.length;
      pushed.push(performance.now());
      lane.push(
        pcm.subarray((at * frame) % (pcm.length - frame), ((at * frame) % (pcm.length - frame)) + frame),
      );
      if (pushed.length === frames) lane.drop();
      else setTimeout(push, began + 20 * pushed.length - performance.now());
    };
    push();
  });
  return late;
}

/** The scale-invariant ratio of the voice to what is left beside it, in dB. */
function siSdr(clean: Buffer, heard: Buffer): number {
  let [cross, own] = [0, 1e-9];
  const each = (visit: (voice: number, other: number) => void) => {
    for (let at = 0; at + 1 < clean.length; at += 2) visit(clean.readInt16LE(at), heard.readInt16LE(at));
  };
  each((voice, other) => {
    cross += voice * other;
    own += voice * voice;
  });
  const gain = cross / own;
  let [voiced, rest] = [1e-9, 1e-9];
  each((voice, other) => {
    voiced += (gain * voice) ** 2;
    rest += (other - gain * voice) ** 2;
  });
  return 10 * Math.log10(voiced / rest);
}

const WAYS = ['as it came', 'denoised', 'RNNoise'] as const;

await runBench('denoise', 'Noise suppression for people who listen', async (report, { quick }) => {
  const folder = mkdtempSync(join(tmpdir(), 'denoise-'));
  const engine = new Engine({ models: new Models().wholeFiles(), device: 'cpu' });
  try {
    await engine.prepared();
    const clips = heldOutClips();
    const all = lines(quick ? clips.slice(0, 2) : clips);
    const seconds = all.reduce((sum, { heard }) => sum + heard.length / 2 / LINE, 0);
    const began = process.cpuUsage();
    const ours: Buffer[] = [];
    for (const { heard } of all) ours.push(await denoised(engine, heard));
    const spent = process.cpuUsage(began);
    const files = all.map(({ heard }, at) => {
      writeFileSync(join(folder, `${at}.pcm`), heard);
      return [join(folder, `${at}.pcm`), join(folder, `${at}-rnnoise.pcm`)] as const;
    });
    const peer = JSON.parse(askPython(RNNOISE, files).at(-1)!) as { processor_s: number; sound_s: number };
    const theirs = files.map(([, result]) => readFileSync(result));
    const sounds = [all.map(({ heard }) => heard), ours, theirs];
    const samples = sounds.flatMap((list, way) =>
      list.map((pcm, at): Sample => {
        const file = join(folder, `${way}-${at}.wav`);
        writeFileSync(file, wavOf(resample(pcm, LINE, JUDGED), JUDGED));
        return { model: 'dnsmos', file };
      }),
    );
    const scores = scored(samples);
    const of = (way: number, keep: (line: Line) => boolean) =>
      all.flatMap((line, at) => (keep(line) ? [{ at, scores: scores[way * all.length + at]! }] : []));
    const mos = (way: number, keep: (line: Line) => boolean, name: keyof Scores & string) =>
      rounded(mean(of(way, keep).map((one) => one.scores[name]!)));
    const sdr = (way: number, keep: (line: Line) => boolean) =>
      rounded(mean(of(way, keep).map(({ at }) => siSdr(all[at]!.clean, sounds[way]![at]!))));
    report.text(
      `${clips.length} callers of AN4, one sentence each between two pauses of a second, at 8 kHz u-law, alone and with the noise of a café and of a street 10, 5 and 0 dB below them. DNSMOS (P.835: overall, signal and background; P.808) was trained on listeners’ scores, from 1 to 5; SI-SDR is the voice’s ratio to what is left beside it. RNNoise 0.2 (the build of pyrnnoise 0.4.5) ran on the same lines at its 48 kHz. A talker or a television is a voice, which neither takes away.`,
    );
    const kinds = [
      { noise: 'none', db: 0 },
      ...Object.keys(NOISES).flatMap((noise) => DISTANCES_DB.map((db) => ({ noise, db }))),
    ];
    report.table(
      ['noise', 'dB', 'heard', 'overall', 'signal', 'background', 'P.808', 'SI-SDR, dB'],
      kinds.flatMap(({ noise, db }) =>
        WAYS.map((name, way) => {
          const keep = (line: Line) => line.noise === noise && line.db === db;
          const ratio = noise === 'none' && way === 0 ? null : sdr(way, keep);
          return [
            noise,
            noise === 'none' ? null : db,
            name,
            ...DNSMOS.map((one) => mos(way, keep, one)),
            ratio,
          ];
        }),
      ),
    );
    const noisy = (line: Line) => line.noise !== 'none';
    const alone = (line: Line) => line.noise === 'none';
    for (const [what, name] of [
      ['overall', 'ovrl_mos'],
      ['P.808', 'p808_mos'],
    ] as const) {
      report.figure({
        name: `DNSMOS ${what} of noisy lines, as they came`,
        value: mos(0, noisy, name),
        unit: 'MOS',
      });
      report.figure({
        name: `DNSMOS ${what} of noisy lines, denoised`,
        value: mos(1, noisy, name),
        unit: 'MOS',
        peer: 'RNNoise',
        peerValue: mos(2, noisy, name),
      });
    }
    report.figure({
      name: 'SI-SDR gained on noisy lines',
      value: rounded(sdr(1, noisy) - sdr(0, noisy)),
      unit: 'dB',
      peer: 'RNNoise',
      peerValue: rounded(sdr(2, noisy) - sdr(0, noisy)),
    });
    report.figure({
      name: 'DNSMOS overall lost on lines without noise',
      value: rounded(mos(0, alone, 'ovrl_mos') - mos(1, alone, 'ovrl_mos')),
      unit: 'MOS',
      peer: 'RNNoise',
      peerValue: rounded(mos(0, alone, 'ovrl_mos') - mos(2, alone, 'ovrl_mos')),
    });
    report.figure({
      name: 'real-time factor on one core',
      value: Number(((spent.user + spent.system) / 1e6 / seconds).toFixed(3)),
      unit: '× real time',
      peer: 'RNNoise, with its resampling from and to 8 kHz',
      peerValue: Number((peer.processor_s / peer.sound_s).toFixed(3)),
    });
    const late = await delays(engine, all[1]!.heard, quick ? 100 : 1000);
    report.figure({
      name: 'delay of a listener’s audio, p50',
      value: rounded(percentile(late, 0.5)),
      unit: 'ms',
    });
    report.figure({
      name: 'delay of a listener’s audio, p95',
      value: rounded(percentile(late, 0.95)),
      unit: 'ms',
    });
    report.text(
      'The delay is from a frame’s arrival to that of its own audio, of a lane in real time beside no other; the processor time is the whole process’s.',
    );
  } finally {
    engine.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
});
