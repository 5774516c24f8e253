/** Time to first audio over HTTP lasts until the first decoded sample above -40 dBFS has arrived at the client. */
import { performance } from 'node:perf_hooks';
import { ANSWERS, byLength, median, percentile } from '../harness/index.ts';
import type { Section } from './parts.ts';
import { PROMPTS } from './prompts.ts';
import type { Stage } from './served-surface.ts';
import { samplesOf, timeToFirstSound } from './sound.ts';
import { FASTEST, FIRST_AUDIO_GOAL_MS, HIBARI, KOKORO, RATE } from './voices.ts';

export interface FirstAudio {
  readonly first: number;
  readonly whole: number;
  readonly bytes: number;
  readonly processor: number;
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

export type Served = Pick<Stage, 'url' | 'key' | 'decode'>;

async function sounds(stage: Served, format: string, bytes: Buffer): Promise<boolean> {
  if (format === 'g711_ulaw') return bytes.some((byte) => Math.abs(mulaw(byte)) > 0.01);
  if (format === 'g711_alaw') return bytes.some((byte) => Math.abs(alaw(byte)) > 0.01);
  const pcm = format === 'pcm' ? bytes : await stage.decode(bytes);
  const samples = samplesOf(Uint8Array.from(pcm.subarray(0, pcm.length & ~1)));
  return timeToFirstSound(samples, RATE) < Number.POSITIVE_INFINITY;
}

export async function request(
  stage: Served,
  format: string,
  voiceName: string,
  input: string,
): Promise<FirstAudio> {
  const before = process.cpuUsage();
  let processor = 0;
  const began = performance.now();
  const response = await fetch(`${stage.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ voice: voiceName, response_format: format, input }),
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  const arrived: { at: number; bytes: Buffer }[] = [];
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const { user, system } = process.cpuUsage(before);
    processor ||= (user + system) / 1000;
    arrived.push({ at: performance.now() - began, bytes: Buffer.from(chunk) });
  }
  const whole = performance.now() - began;
  const got: Buffer[] = [];
  for (const { at, bytes } of arrived) {
    got.push(bytes);
    if (await sounds(stage, format, Buffer.concat(got)))
      return {
        first: at,
        whole,
        processor,
        bytes: Buffer.concat(arrived.map((piece) => piece.bytes)).length,
      };
  }
  throw new Error(`no sound came for "${input}"`);
}

export async function firstAudio(report: Section, stage: Stage, quick: boolean): Promise<void> {
  report.heading('Time to first audio');
  report.text(
    'Thirty prompts, one after another, over HTTP on this machine: until the first decoded sample above −40 dBFS has arrived. "First request": right after the server was ready, of a new data folder.',
  );
  const rows: (string | number)[][] = [];
  for (const name of [FASTEST, HIBARI, KOKORO]) {
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
      const goal = { atMost: name === KOKORO ? 300 : 120 };
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

export async function firstAudioByLength(report: Section, stage: Stage, quick: boolean): Promise<void> {
  report.heading('Time to first audio by the length of the first clause');
  report.text(
    'Answers whose first clause has 3, 6, 12, 20, 30 and 40 words without a pause, as many of each, pcm over HTTP, one after another. "Processor" is the processor time of the server and its client from the order to the first audio: what other work on the machine moves least.',
  );
  const rows: (string | number)[][] = [];
  for (const name of [FASTEST, HIBARI, KOKORO]) {
    await request(stage, 'pcm', name, 'Hello there.');
    const times: (FirstAudio & { readonly words: number })[] = [];
    for (const { words, text } of ANSWERS.slice(0, quick ? 6 : ANSWERS.length))
      times.push({ ...(await request(stage, 'pcm', name, text)), words });
    const groups = [
      { label: 'all', values: times },
      ...byLength(times, ({ words }) => words).map(({ words, values }) => ({
        label: `${words} words`,
        values,
      })),
    ];
    for (const { label, values } of groups) {
      const of = (share: number, value: (one: FirstAudio) => number) => percentile(values.map(value), share);
      const [p50, p95] = [of(0.5, ({ first }) => first), of(0.95, ({ first }) => first)];
      const processor = of(0.5, (one) => one.processor);
      rows.push([name, label, values.length, p50, p95, processor]);
      const what = `${name}, first clause of ${label === 'all' ? 'any length' : label}`;
      report.figure({ name: `first audio, p50, ${what}`, value: p50, unit: 'ms' });
      report.figure({
        name: `first audio, p95, ${what}`,
        value: p95,
        unit: 'ms',
        goal: { atMost: FIRST_AUDIO_GOAL_MS[name]! },
      });
      report.figure({
        name: `processor time before the first audio, p50, ${what}`,
        value: processor,
        unit: 'ms',
      });
    }
  }
  report.table(['voice', 'first clause', 'answers', 'p50 ms', 'p95 ms', 'processor p50 ms'], rows);
}
