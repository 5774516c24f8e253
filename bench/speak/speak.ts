/**
 * Speech: time to first audio, real-time factor, streams at once, round trip, loudness, seams, emotions, and how it looks.
 * `npm run bench:speak` runs every part; `npm run bench:speak -- PART…` runs those named, and `report` none: each time the
 * report is made of what every part measured last.
 */
import { performance } from 'node:perf_hooks';
import { type EngineVoice, synthesizeJob, transcribeRecording } from '../../src/engine/index.ts';
import { StockVoices } from '../../src/platform/voices/index.ts';
import { EMOTIONS, joinManners, mannerOf } from '../../src/surfaces/speak/manners.ts';
import { stockVoice } from '../../src/surfaces/speak/voices.ts';
import { median, percentile, runBench, spectrogramPlot, waveformPlot } from '../harness/index.ts';
import { keepPart, Section, tellPart } from './parts.ts';
import { PEER_TEXT, publishedGraph } from './peer.ts';
import { PROMPTS, ROUND_TRIP } from './prompts.ts';
import { activeDb, firstSound, pitchOf, samplesOf, wordErrors } from './sound.ts';
import { Speaker, Stage } from './stage.ts';

const RATE = 24_000;
const stock = new StockVoices();
const voice = (name: string): EngineVoice => stockVoice(stock.resolve(name)).engine;
const FASTEST = 'joe_en_us';
const KOKORO = 'heart_en_us';
/** One or two voices a language; the trial language too. */
const VOICES = [
  'joe_en_us',
  'heart_en_us',
  'michael_en_us',
  'emma_en_gb',
  'alpha_en_in',
  'es1',
  'fr1',
  'de1',
  'hi1',
  'hi3',
  'sara_it_it',
  'dora_pt_br',
];

/** Sentences of the round trip a voice. */
const SENTENCES = 2;

interface FirstAudio {
  /** Until the first decoded sample above -40 dBFS had arrived. */
  readonly first: number;
  readonly whole: number;
  readonly bytes: number;
}

const mulaw = (byte: number): number => {
  const code = ~byte & 0xff;
  const size = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4);
  return (code & 0x80 ? 0x84 - size : size - 0x84) / 32_768;
};
const alaw = (byte: number): number => {
  const code = byte ^ 0x55;
  const segment = (code & 0x70) >> 4;
  const low = ((code & 0x0f) << 4) + 8;
  const size = segment === 0 ? low : (low + 0x100) << (segment - 1);
  return (code & 0x80 ? size : -size) / 32_768;
};

async function sounds(stage: Stage, format: string, bytes: Buffer): Promise<boolean> {
  if (format === 'g711_ulaw') return bytes.some((byte) => Math.abs(mulaw(byte)) > 0.01);
  if (format === 'g711_alaw') return bytes.some((byte) => Math.abs(alaw(byte)) > 0.01);
  const pcm = format === 'pcm' ? bytes : await stage.decode(bytes);
  const samples = samplesOf(Uint8Array.from(pcm.subarray(0, pcm.length & ~1)));
  return firstSound(samples, RATE) < Number.POSITIVE_INFINITY;
}

async function request(stage: Stage, format: string, voiceName: string, input: string): Promise<FirstAudio> {
  const began = performance.now();
  const response = await fetch(`${stage.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ voice: voiceName, response_format: format, input }),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const arrived: { at: number; bytes: Buffer }[] = [];
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
    arrived.push({ at: performance.now() - began, bytes: Buffer.from(chunk) });
  const whole = performance.now() - began;
  const got: Buffer[] = [];
  for (const { at, bytes } of arrived) {
    got.push(bytes);
    if (await sounds(stage, format, Buffer.concat(got)))
      return { first: at, whole, bytes: Buffer.concat(arrived.map((piece) => piece.bytes)).length };
  }
  throw new Error(`no sound came for "${input}"`);
}

async function firstAudio(report: Section, stage: Stage, quick: boolean): Promise<void> {
  report.heading('Time to first audio');
  report.text(
    'Thirty prompts, one after another, over HTTP on this machine: until the first decoded sample above −40 dBFS has arrived. "First request": right after the server was ready. Its folder was new, so it learnt the default voices of seven languages meanwhile.',
  );
  const rows: (string | number)[][] = [];
  for (const name of [FASTEST, KOKORO]) {
    const learnt = await request(stage, 'pcm', name, 'Hello there.');
    report.figure({
      name: `first audio, first request after the start, ${name}`,
      value: learnt.first,
      unit: 'ms',
    });
    for (const format of ['pcm', 'mp3', 'g711_ulaw', 'g711_alaw']) {
      const times: FirstAudio[] = [];
      for (const input of PROMPTS.slice(0, quick ? 3 : 30))
        times.push(await request(stage, format, name, input));
      const firsts = times.map(({ first }) => first);
      const [p50, p95] = [median(firsts), percentile(firsts, 0.95)];
      rows.push([name, format, times.length, p50, p95]);
      const goal = { atMost: name === FASTEST ? 120 : 300 };
      report.figure({ name: `first audio, p50, ${name}, ${format}`, value: p50, unit: 'ms', goal });
      report.figure({ name: `first audio, p95, ${name}, ${format}`, value: p95, unit: 'ms' });
      if (format !== 'pcm') continue;
      const seconds = times.reduce((sum, { bytes }) => sum + bytes / 2 / RATE, 0);
      report.figure({
        name: `real-time factor over HTTP, ${name}`,
        value: times.reduce((sum, { whole }) => sum + whole, 0) / 1000 / seconds,
        unit: '',
        ...(name === KOKORO ? { goal: { atMost: 0.35 } } : {}),
      });
    }
  }
  report.table(['voice', 'format', 'prompts', 'p50 ms', 'p95 ms'], rows);
}

async function realTime(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Against the published graph');
  report.text(
    `"${PEER_TEXT}" with the same weights in the same run: the product, and the published graph on plain onnxruntime with two threads, as \`kokoro-js\` runs it. Its first audio is its last.`,
  );
  const say = async () => {
    const began = performance.now();
    const job = speaker.engine.submit(
      synthesizeJob,
      { voice: voice(KOKORO), rate: RATE, format: 'pcm16' },
      Buffer.from(PEER_TEXT),
    );
    let [first, bytes] = [0, 0];
    for await (const chunk of job.chunks()) {
      first ||= performance.now() - began;
      bytes += chunk.length;
    }
    return { first, factor: (performance.now() - began) / 1000 / (bytes / 2 / RATE) };
  };
  await say();
  const ours = [];
  for (let run = 0; run < 7; run++) ours.push(await say());
  const published = await publishedGraph(7, 2);
  report.figure({
    name: 'real-time factor, Kokoro, in process',
    value: median(ours.map(({ factor }) => factor)),
    unit: '',
    goal: { atMost: 0.35 },
    peer: 'published graph, onnxruntime',
    peerValue: published.ms / 1000 / published.seconds,
  });
  report.figure({
    name: 'first audio, Kokoro, in process',
    value: median(ours.map(({ first }) => first)),
    unit: 'ms',
    peer: 'published graph, onnxruntime',
    peerValue: published.ms,
  });
}

async function cancelled(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Cancel');
  const times: number[] = [];
  let late = 0;
  for (let run = 0; run < 20; run++) {
    const stop = new AbortController();
    const text = PROMPTS.slice(10).join(' ');
    const job = speaker.engine.submit(
      synthesizeJob,
      { voice: voice(KOKORO), rate: RATE, format: 'pcm16' },
      Buffer.from(text),
      stop.signal,
    );
    let ordered = 0;
    try {
      for await (const _ of job.chunks()) {
        if (ordered > 0) late = Math.max(late, performance.now() - ordered);
        ordered ||= performance.now();
        stop.abort();
      }
    } catch {
      // A cancelled job ends with a fault.
    }
    while (speaker.engine.stats().pool.running > 0) await new Promise((resolve) => setImmediate(resolve));
    times.push(performance.now() - ordered);
  }
  report.text(
    'Twenty times, after the first chunk: the latest chunk after the order, and until no step of the engine runs.',
  );
  report.figure({
    name: 'cancel: latest audio after the order',
    value: late,
    unit: 'ms',
    goal: { atMost: 20 },
  });
  report.figure({ name: 'cancel: until the work stops, p50', value: median(times), unit: 'ms' });
  report.figure({ name: 'cancel: until the work stops, p95', value: percentile(times, 0.95), unit: 'ms' });
}

async function atOnce(report: Section, speaker: Speaker, quick: boolean): Promise<void> {
  report.heading('Streams at once');
  const text = PROMPTS.slice(0, 4).join(' ');
  for (const name of [FASTEST, KOKORO]) {
    let carried = 0;
    for (const count of quick ? [1, 2] : [1, 2, 3, 4, 8, 16]) {
      const late = await Promise.all(Array.from({ length: count }, () => underrun(speaker, text, name)));
      if (Math.max(...late) > 20) break;
      carried = count;
    }
    report.figure({ name: `streams at once without underrun, ${name}`, value: carried, unit: 'streams' });
  }
}

/** The longest time, in ms, that a listener who began at the first chunk had to wait for a later one. */
async function underrun(speaker: Speaker, text: string, name: string): Promise<number> {
  const job = speaker.engine.submit(
    synthesizeJob,
    { voice: voice(name), rate: RATE, format: 'pcm16' },
    Buffer.from(text),
  );
  let began = 0;
  let played = 0;
  let worst = 0;
  for await (const chunk of job.chunks()) {
    const now = performance.now();
    began ||= now;
    worst = Math.max(worst, now - began - played);
    played += (chunk.length / 2 / RATE) * 1000;
  }
  return worst;
}

async function heard(speaker: Speaker, samples: Float32Array, language: string): Promise<string> {
  const pcm = Int16Array.from(samples, (value) => Math.round(value * 32_767));
  async function* bytes() {
    yield new Uint8Array(pcm.buffer);
  }
  const texts: string[] = [];
  for await (const { segment } of transcribeRecording(speaker.engine, bytes(), {
    language: language as 'en',
  })) {
    if (segment) texts.push(segment.text);
  }
  return texts.join(' ');
}

async function at16k(
  speaker: Speaker,
  text: string,
  spoken: EngineVoice,
  whole: boolean,
): Promise<Float32Array> {
  return speaker.say(text, spoken, { rate: 16_000, whole });
}

async function roundTrip(report: Section, speaker: Speaker, quick: boolean): Promise<void> {
  report.heading('Round trip through recognition');
  report.text(
    'Words that come back wrong when Hear transcribes what Speak said: streamed, and as whole utterances, in the same run.',
  );
  const rows: (string | number)[][] = [];
  const sums = { streamed: 0, whole: 0, words: 0 };
  for (const name of quick ? VOICES.slice(0, 2) : VOICES) {
    const spoken = voice(name);
    const counts = { streamed: 0, whole: 0, words: 0 };
    for (const sentence of ROUND_TRIP[spoken.language]!.slice(0, SENTENCES)) {
      for (const way of ['streamed', 'whole'] as const) {
        const samples = await at16k(speaker, sentence, spoken, way === 'whole');
        const { errors, words } = wordErrors(sentence, await heard(speaker, samples, spoken.language));
        counts[way] += errors;
        if (way === 'streamed') counts.words += words;
      }
    }
    rows.push([
      name,
      spoken.language,
      (100 * counts.streamed) / counts.words,
      (100 * counts.whole) / counts.words,
    ]);
    for (const key of ['streamed', 'whole', 'words'] as const) sums[key] += counts[key];
  }
  report.table(['voice', 'language', 'streamed, % of words', 'whole, % of words'], rows);
  const [streamed, whole] = [(100 * sums.streamed) / sums.words, (100 * sums.whole) / sums.words];
  report.figure({
    name: 'round-trip word errors, streamed, all voices',
    value: streamed,
    unit: '%',
    goal: { atMost: Math.round((whole + 1) * 100) / 100 },
    peer: 'whole utterance',
    peerValue: whole,
  });
}

async function seams(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Seams and loudness');
  const text = 'I can check your booking and send you a confirmation.';
  const [small, large] = [
    await speaker.say(text, voice(KOKORO), { window: 16 }),
    await speaker.say(text, voice(KOKORO), { window: 4000 }),
  ];
  let difference = 1e-6;
  for (let i = 0; i < Math.min(small.length, large.length); i++)
    difference = Math.max(difference, Math.abs(small[i]! - large[i]!));
  report.text(
    'The same clause by windows of 200 ms and by one window: the largest difference anywhere bounds what any seam can add (−120 dBFS: none at all).',
  );
  report.figure({
    name: 'seams between windows: largest difference',
    value: 20 * Math.log10(difference),
    unit: 'dBFS',
    goal: { below: -50 },
  });
  const spread: number[] = [];
  for (const name of [KOKORO, FASTEST]) {
    const levels: number[] = [];
    for (const prompt of PROMPTS.slice(0, 10))
      levels.push(activeDb(await speaker.say(prompt, voice(name)), RATE));
    const middle = median(levels);
    spread.push(Math.max(...levels.map((level) => Math.abs(level - middle))));
    report.figure({
      name: `loudness over ten clauses, largest distance from their median, ${name}`,
      value: spread.at(-1)!,
      unit: 'dB',
      goal: { atMost: 1 },
    });
  }
  const levels: number[] = [];
  for (const name of VOICES)
    levels.push(activeDb(await speaker.say(ROUND_TRIP[voice(name).language]![0]!, voice(name)), RATE));
  report.figure({
    name: 'loudness of all voices, largest distance from -20 dBFS',
    value: Math.max(...levels.map((level) => Math.abs(level + 20))),
    unit: 'dB',
  });
}

async function emotions(report: Section, speaker: Speaker): Promise<void> {
  report.heading('Emotions');
  const text = 'I have looked at your account and there is something that you should know.';
  const rows: (string | number)[][] = [];
  for (const emotion of EMOTIONS) {
    const spoken = { ...voice(KOKORO), manner: joinManners(mannerOf(emotion)) };
    const samples = await speaker.say(text, spoken);
    const { hertz, semitones } = pitchOf(samples, RATE);
    rows.push([emotion, hertz, semitones, activeDb(samples, RATE), samples.length / RATE]);
  }
  report.table(['emotion', 'median pitch, Hz', 'melody, semitones', 'loudness, dBFS', 'seconds'], rows);
}

async function pictures(report: Section, speaker: Speaker): Promise<void> {
  report.heading('How it looks');
  for (const name of VOICES) {
    const samples = await speaker.say(ROUND_TRIP[voice(name).language]![0]!, voice(name));
    report.plot(`${name}-wave`, `${name}: waveform`, waveformPlot({ title: name, samples, rate: RATE }));
    report.plot(
      `${name}-spectrum`,
      `${name}: spectrogram`,
      spectrogramPlot({ title: name, samples, rate: RATE }),
    );
  }
}

type Part = (section: Section, speaker: Speaker, quick: boolean) => Promise<void>;
const IN_PROCESS: Readonly<Record<string, Part>> = {
  factor: realTime,
  cancel: cancelled,
  streams: atOnce,
  loudness: seams,
  emotions,
  words: roundTrip,
  pictures,
};
const PARTS = ['first', ...Object.keys(IN_PROCESS)];

async function measure(name: string, quick: boolean): Promise<void> {
  const section = new Section();
  const part = IN_PROCESS[name];
  if (part === undefined) {
    const stage = await Stage.open();
    try {
      await firstAudio(section, stage, quick);
    } finally {
      await stage.close();
    }
  } else {
    const speaker = new Speaker();
    try {
      await speaker.engine.prepared();
      await part(section, speaker, quick);
    } finally {
      speaker.close();
    }
  }
  keepPart(name, section, quick);
}

await runBench('speak', 'Speech', async (report, { quick, parts }) => {
  const unknown = parts.find((part) => part !== 'report' && !PARTS.includes(part));
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${PARTS.join(', ')}, report`);
  for (const name of parts.length === 0 ? PARTS : PARTS.filter((part) => parts.includes(part)))
    await measure(name, quick);
  for (const name of PARTS) tellPart(report, name, quick);
});
