/** Speech: time to first audio, real-time factor, streams at once, round trip, loudness, seams, emotions, and how it looks. */
import { performance } from 'node:perf_hooks';
import { type EngineVoice, synthesizeJob, transcribeRecording } from '../../src/engine/index.ts';
import { StockVoices } from '../../src/platform/voices/index.ts';
import { EMOTIONS, joinManners, mannerOf } from '../../src/surfaces/speak/manners.ts';
import { stockVoice } from '../../src/surfaces/speak/voices.ts';
import {
  median,
  percentile,
  type Report,
  runBench,
  spectrogramPlot,
  waveformPlot,
} from '../harness/index.ts';
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
const SENTENCES = 1;

interface FirstAudio {
  /** Until the first sample above -40 dBFS has arrived, where the bytes are PCM; else until the first byte. */
  readonly first: number;
  readonly whole: number;
  readonly seconds: number;
}

async function request(stage: Stage, body: object, rate: number | null): Promise<FirstAudio> {
  const began = performance.now();
  const response = await fetch(`${stage.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  let first = Number.POSITIVE_INFINITY;
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const even = chunk.subarray(0, chunk.length - (chunk.length % 2));
    const sounds =
      rate === null || firstSound(samplesOf(Uint8Array.from(even)), rate) < Number.POSITIVE_INFINITY;
    if (sounds && first === Number.POSITIVE_INFINITY) first = performance.now() - began;
    bytes += chunk.length;
  }
  return { first, whole: performance.now() - began, seconds: rate === null ? 0 : bytes / 2 / rate };
}

async function firstAudio(report: Report, stage: Stage, quick: boolean): Promise<void> {
  report.heading('Time to first audio');
  report.text(
    'Thirty prompts, one after another, over HTTP on this machine. `pcm`: until a sample above −40 dBFS has arrived; the other formats: until the first byte of audio.',
  );
  const rows: (string | number)[][] = [];
  for (const name of [FASTEST, KOKORO]) {
    for (const format of ['pcm', 'mp3', 'g711_ulaw', 'g711_alaw']) {
      const prompts = format === 'pcm' && !quick ? PROMPTS : PROMPTS.slice(0, quick ? 3 : 5);
      const body = { voice: name, response_format: format };
      await request(stage, { ...body, input: 'Hello there.' }, null);
      const times: FirstAudio[] = [];
      for (const input of prompts)
        times.push(await request(stage, { ...body, input }, format === 'pcm' ? RATE : null));
      const firsts = times.map(({ first }) => first);
      const [p50, p95] = [median(firsts), percentile(firsts, 0.95)];
      rows.push([name, format, prompts.length, p50, p95]);
      if (format !== 'pcm') continue;
      const goal = { atMost: name === FASTEST ? 120 : 300 };
      report.figure({ name: `first audio, p50, ${name}`, value: p50, unit: 'ms', goal });
      report.figure({ name: `first audio, p95, ${name}`, value: p95, unit: 'ms' });
      const factor =
        times.reduce((sum, { whole }) => sum + whole, 0) /
        1000 /
        times.reduce((sum, { seconds }) => sum + seconds, 0);
      report.figure({
        name: `real-time factor over HTTP, ${name}`,
        value: factor,
        unit: '',
        ...(name === KOKORO ? { goal: { atMost: 0.35 } } : {}),
      });
    }
  }
  report.table(['voice', 'format', 'prompts', 'p50 ms', 'p95 ms'], rows);
}

async function realTime(report: Report, speaker: Speaker): Promise<void> {
  report.heading('Streaming against the whole utterance');
  report.text(
    'The same weights, the same runtime, the same run. "Whole" is the model as it was published: each sentence at once, normalised by its own means, as `kokoro-js` and plain onnxruntime run it; its first audio is its last.',
  );
  const timed = async (options: { whole?: boolean }) => {
    let [spent, spoken, first] = [0, 0, 0];
    const prompts = PROMPTS.slice(0, 5);
    for (const prompt of prompts) {
      const began = performance.now();
      const job = speaker.engine.submit(
        synthesizeJob,
        { voice: voice(KOKORO), rate: RATE, format: 'pcm16', ...options },
        Buffer.from(prompt),
      );
      let started = 0;
      for await (const chunk of job.chunks()) {
        started ||= performance.now() - began;
        spoken += chunk.length / 2 / RATE;
      }
      spent += (performance.now() - began) / 1000;
      first += started / prompts.length;
    }
    return { factor: spent / spoken, first };
  };
  await timed({});
  const [whole, streamed] = [await timed({ whole: true }), await timed({})];
  const peer = 'whole utterance, same weights';
  report.figure({
    name: 'real-time factor, Kokoro, in process',
    value: streamed.factor,
    unit: '',
    goal: { atMost: 0.35 },
    peer,
    peerValue: whole.factor,
  });
  report.figure({
    name: 'first audio, mean, Kokoro, in process',
    value: streamed.first,
    unit: 'ms',
    peer,
    peerValue: whole.first,
  });
}

async function atOnce(report: Report, speaker: Speaker, quick: boolean): Promise<void> {
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

async function roundTrip(report: Report, speaker: Speaker, quick: boolean): Promise<void> {
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

async function seams(report: Report, speaker: Speaker): Promise<void> {
  report.heading('Seams and loudness');
  const text = 'I can check your booking and send you a confirmation.';
  const [small, large] = [
    await speaker.say(text, voice(KOKORO), { window: 16 }),
    await speaker.say(text, voice(KOKORO), { window: 4000 }),
  ];
  let difference = 1e-9;
  for (let i = 0; i < Math.min(small.length, large.length); i++)
    difference = Math.max(difference, Math.abs(small[i]! - large[i]!));
  report.text(
    'The same clause by windows of 200 ms and by one window: the largest difference anywhere bounds what any seam can add.',
  );
  report.figure({
    name: 'seams: largest difference',
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
      name: `loudness over six clauses, largest distance from their median, ${name}`,
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

async function emotions(report: Report, speaker: Speaker): Promise<void> {
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

async function pictures(report: Report, speaker: Speaker): Promise<void> {
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

await runBench('speak', 'Speech', async (report, { quick }) => {
  const stage = await Stage.open();
  try {
    await firstAudio(report, stage, quick);
  } finally {
    await stage.close();
  }
  const speaker = new Speaker();
  try {
    await speaker.engine.prepared();
    await realTime(report, speaker);
    await atOnce(report, speaker, quick);
    await seams(report, speaker);
    await emotions(report, speaker);
    await roundTrip(report, speaker, quick);
    if (!quick) await pictures(report, speaker);
  } finally {
    speaker.close();
  }
});
