/** Measures decoding uploads and encoding speech, with plain ffmpeg and sox on the same files in the same run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { AudioDecoder, findFfmpeg, Mp3Encoder } from '../../src/media/codec/index.ts';
import { barPlot, hasProgram, type Report, repeatInterleaved, runBench } from '../harness/index.ts';

const RATE = 16000;
const SPEECH = '../shared/speech/ljspeech/LJ001-0001.wav';
const FORMATS = {
  wav: [],
  mp3: ['-b:a', '64k'],
  m4a: ['-c:a', 'aac'],
  flac: [],
  ogg: ['-c:a', 'libvorbis'],
  opus: ['-c:a', 'libopus'],
};
const SOX_READS = ['wav', 'flac', 'ogg'];

const found = findFfmpeg(null, new Models());
if (!found) throw new Error('ffmpeg is missing: npx trunkline models fetch --only ffmpeg');
const ffmpeg = found.path;

function run(program: string, args: string[]): void {
  const done = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], maxBuffer: 1e9 });
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
}

function makeFiles(folder: string, seconds: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [kind, args] of Object.entries(FORMATS)) {
    files[kind] = join(folder, `speech.${kind}`);
    run(ffmpeg, [
      '-y',
      '-loglevel',
      'error',
      '-stream_loop',
      '-1',
      '-t',
      String(seconds),
      '-i',
      SPEECH,
      ...args,
      files[kind]!,
    ]);
  }
  return files;
}

async function decode(decoder: AudioDecoder, path: string, maxSeconds: number): Promise<number> {
  const { pcm } = await decoder.decode(
    { path },
    { sampleRate: RATE, channels: 'mix', sample: 's16', maxSeconds },
  );
  let bytes = 0;
  for await (const part of pcm) bytes += part.length;
  return bytes / 2 / RATE;
}

async function seconds(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function race(
  runs: number,
  contestants: Record<string, () => unknown>,
): Promise<Record<string, number>> {
  const timed = Object.entries(contestants).map(([name, work]) => [name, () => seconds(work)] as const);
  const samples = await repeatInterleaved(Object.fromEntries(timed), { runs, warmup: 1 });
  return Object.fromEntries(Object.entries(samples).map(([name, sample]) => [name, sample.median]));
}

async function measureDecoding(
  report: Report,
  folder: string,
  length: number,
  rounds: number,
): Promise<void> {
  const decoder = new AudioDecoder({ ffmpeg, temporary: folder, atOnce: 2 });
  const files = makeFiles(folder, length);
  const sox = hasProgram('sox');
  const groups: { label: string; values: (number | null)[] }[] = [];
  for (const [kind, path] of Object.entries(files)) {
    const plain = [
      '-loglevel',
      'error',
      '-i',
      path,
      '-ac',
      '1',
      '-ar',
      String(RATE),
      '-f',
      's16le',
      '-y',
      '/dev/null',
    ];
    const contestants: Record<string, () => unknown> = {
      trunkline: () => decode(decoder, path, length * 2),
      ffmpeg: () => run(ffmpeg, plain),
    };
    if (sox && SOX_READS.includes(kind)) {
      contestants.sox = () => run('sox', [path, '-r', String(RATE), '-c', '1', '-t', 's16', '/dev/null']);
    }
    const times = await race(rounds, contestants);
    const values = ['trunkline', 'ffmpeg', 'sox'].map((name) => (times[name] ? length / times[name] : null));
    groups.push({ label: kind, values });
    const [value, peerValue] = values as [number, number];
    const peer = { peer: 'ffmpeg, no limits', peerValue };
    report.figure({ name: `decode ${kind}`, value, unit: 'x real time', goal: { atLeast: 100 }, ...peer });
  }
  const series = ['trunkline', 'ffmpeg alone', 'sox'];
  report.text(
    `Decoding ${length} s of speech to 16 kHz mono: in the limited process, and back into this one.`,
  );
  report.table(
    ['format', ...series],
    groups.map(({ label, values }) => [label, ...values]),
  );
  report.plot(
    'decode',
    'Seconds of audio decoded in a second',
    barPlot({ title: 'Decoding', unit: 'x real time', series, groups }),
  );
}

async function measureStart(report: Report, folder: string, rounds: number): Promise<void> {
  const decoder = new AudioDecoder({ ffmpeg, temporary: folder, atOnce: 2 });
  const path = join(folder, 'short.wav');
  run(ffmpeg, ['-y', '-loglevel', 'error', '-t', '1', '-i', SPEECH, path]);
  const times = await race(rounds * 4, {
    trunkline: () => decode(decoder, path, 60),
    ffmpeg: () =>
      run(ffmpeg, [
        '-loglevel',
        'error',
        '-i',
        path,
        '-ac',
        '1',
        '-ar',
        String(RATE),
        '-f',
        's16le',
        '-y',
        '/dev/null',
      ]),
  });
  const peer = { peer: 'ffmpeg, no limits', peerValue: times.ffmpeg! * 1000 };
  report.figure({
    name: 'decode 1 s of wav',
    value: times.trunkline! * 1000,
    unit: 'ms',
    goal: { atMost: 100 },
    ...peer,
  });
}

function childrenCpu(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

async function measureBomb(report: Report, folder: string): Promise<void> {
  const path = join(folder, 'bomb.flac');
  const source = ['-f', 'lavfi', '-i', 'anullsrc=r=8000:cl=mono', '-t', '86400', '-compression_level', '0'];
  run(ffmpeg, ['-y', '-loglevel', 'error', ...source, path]);
  const bytes = readFileSync(path);
  bytes[21]! &= 0xf0; // STREAMINFO no longer says how much follows
  bytes.fill(0, 22, 26);
  writeFileSync(path, bytes);
  const decoder = new AudioDecoder({ ffmpeg, temporary: folder, atOnce: 2 });
  const before = childrenCpu();
  const code = await decode(decoder, path, 600).then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
  if (code !== 'payload_too_large') throw new Error(`the bomb ended with ${code}`);
  const cpu = childrenCpu() - before;
  report.figure({ name: '24 h of flac silence, limit 600 s', value: cpu, unit: 'CPU s', goal: { below: 1 } });
}

async function measureMp3(report: Report, folder: string, length: number, rounds: number): Promise<void> {
  const path = join(folder, 'speech.s16');
  run(ffmpeg, [
    '-y',
    '-loglevel',
    'error',
    '-stream_loop',
    '-1',
    '-t',
    String(length),
    '-i',
    SPEECH,
    '-ar',
    '24000',
    '-f',
    's16le',
    path,
  ]);
  const bytes = readFileSync(path);
  const frame = (2 * 24000) / 50;
  const input = ['-loglevel', 'error', '-f', 's16le', '-ar', '24000', '-ac', '1', '-i', path];
  const times = await race(rounds, {
    trunkline: async () => {
      const encoder = await Mp3Encoder.create({ sampleRate: 24000 });
      for (let at = 0; at < bytes.length; at += frame) encoder.encode(bytes.subarray(at, at + frame));
      encoder.finish();
    },
    ffmpeg: () =>
      run(ffmpeg, [...input, '-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3', '-y', '/dev/null']),
  });
  const peer = { peer: 'ffmpeg with libmp3lame', peerValue: length / times.ffmpeg! };
  report.figure({
    name: 'encode mp3, frames of 20 ms',
    value: length / times.trunkline!,
    unit: 'x real time',
    goal: { atLeast: 100 },
    ...peer,
  });
}

await runBench('codec', 'Decoding uploads, encoding speech', async (report, { quick }) => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-codec-'));
  const [length, rounds] = quick ? [60, 1] : [300, 3];
  try {
    await measureDecoding(report, folder, length!, rounds!);
    await measureStart(report, folder, rounds!);
    await measureBomb(report, folder);
    await measureMp3(report, folder, 60, rounds!);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
