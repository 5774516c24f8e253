/**
 * Measures casts as customers make them: how fast they are made, how long an edit takes, their loudness, how
 * different their voices are, and the word error rate of Hear for them and for a plain voice.
 */
import { spawnSync } from 'node:child_process';
import { Models } from '../../src/foundation/platform/models/index.ts';
import { findFfmpeg } from '../../src/media/codec/index.ts';
import { Engine } from '../../src/media/engine/index.ts';
import { median, type Report, runBench } from '../harness/index.ts';
import { Stage } from '../speak/served-surface.ts';
import { wordErrors } from '../speak/sound.ts';
import { SCRIPT } from './script.ts';
import { cosine, printOf } from './voice-prints.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of the server.
type Json = any;

class Customer {
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  #send(method: string, path: string, body?: object | FormData): Promise<Response> {
    const json = body !== undefined && !(body instanceof FormData);
    return fetch(`${this.#stage.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#stage.key}`,
        ...(json ? { 'content-type': 'application/json' } : {}),
      },
      ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : (body as FormData) }),
    });
  }

  async ask(method: string, path: string, body?: object): Promise<Json> {
    const response = await this.#send(method, path, body);
    const answer = (await response.json()) as Json;
    if (!response.ok) throw new Error(JSON.stringify(answer));
    return answer;
  }

  async render(project: string, body: object): Promise<{ readonly render: Json; readonly seconds: number }> {
    const began = performance.now();
    let render = await this.ask('POST', `/v1/cast/projects/${project}/renders`, body);
    while (['queued', 'rendering'].includes(render.status)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      render = await this.ask('GET', `/v1/cast/renders/${render.id}`);
    }
    if (render.status !== 'completed') throw new Error(render.error);
    return { render, seconds: (performance.now() - began) / 1000 };
  }

  async audio(render: string, query = ''): Promise<Buffer> {
    const response = await this.#send('GET', `/v1/cast/renders/${render}/audio${query}`);
    return Buffer.from(await response.arrayBuffer());
  }

  async hear(wav: Buffer): Promise<string> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(wav)]), 'cast.wav');
    form.set('language', 'en');
    return ((await (await this.#send('POST', '/v1/audio/transcriptions', form)).json()) as Json).text;
  }
}

const textOf = (project: Json): string => project.lines.map(({ text }: Json) => text).join(' ');

async function errorsIn(customer: Customer, project: Json, render: string): Promise<number> {
  const { errors, words } = wordErrors(textOf(project), await customer.hear(await customer.audio(render)));
  return (100 * errors) / words;
}

const ffmpeg = findFfmpeg(null, new Models())!.path;

async function similarity(report: Report, customer: Customer, render: Json): Promise<void> {
  const files = Object.entries(new Models().wholeFiles()).filter(([name]) =>
    name.startsWith('speaker-vector'),
  );
  const engine = new Engine({ models: Object.fromEntries(files) });
  await engine.prepared();
  const prints = new Map<string, Float32Array>();
  for (const speaker of render.stem_speakers as string[]) {
    const wav = await customer.audio(render.id, `?stem=${encodeURIComponent(speaker)}`);
    const flags = [
      '-loglevel',
      'error',
      '-i',
      'pipe:0',
      '-af',
      'silenceremove=stop_periods=-1:stop_threshold=-45dB',
    ];
    const { stdout } = spawnSync(ffmpeg, [...flags, '-f', 's16le', '-ar', '16000', 'pipe:1'], {
      input: wav,
      maxBuffer: 1e9,
    });
    prints.set(speaker, await printOf(engine, stdout.subarray(0, 59 * 32_000)));
  }
  engine.destroy();
  const pairs = [...prints].flatMap(([one, print], at) =>
    [...prints]
      .slice(0, at)
      .map(([other, its]) => ({ pair: `${other} and ${one}`, like: cosine(print, its) })),
  );
  report.table(
    ['speakers', 'likeness'],
    pairs.map(({ pair, like }) => [pair, like]),
  );
  report.figure({
    name: 'likeness of two speakers, the most alike',
    value: Math.max(...pairs.map(({ like }) => like)),
    unit: '',
    goal: { below: 0.5 },
  });
}

await runBench('cast', 'Casts', async (report, { quick }) => {
  const stage = await Stage.open();
  const customer = new Customer(stage);
  try {
    const made = await customer.ask('POST', '/v1/cast/projects', { script: SCRIPT });
    const project = await customer.ask('POST', `/v1/cast/projects/${made.id}/direct`, {});
    const first = await customer.render(project.id, { format: 'wav', stems: true });
    report.text(
      `A script of ${project.line_count} lines and ${project.speakers.length} speakers, directed by rules, ${(first.render.duration_ms / 1000).toFixed(1)} s long.`,
    );
    report.figure({
      name: 'real-time factor of the first render',
      value: (first.seconds * 1000) / first.render.duration_ms,
      unit: '',
    });
    await similarity(report, customer, first.render);
    const offs = [first.render];
    const edits: number[] = [];
    for (const line of project.lines.slice(0, quick ? 3 : 10)) {
      await customer.ask('PATCH', `/v1/cast/projects/${project.id}/lines/${line.id}`, {
        seed: line.seed + 1,
      });
      const { render, seconds } = await customer.render(project.id, { format: 'wav' });
      edits.push(seconds);
      offs.push(render);
    }
    report.figure({
      name: 'seconds from the edit of a line to the new file, median',
      value: median(edits),
      unit: 's',
    });
    report.figure({
      name: 'loudness, furthest from -16 LUFS',
      value: Math.max(...offs.map(({ loudness }) => Math.abs(loudness.integrated_lufs + 16))),
      unit: 'LU',
      goal: { atMost: 0.2 },
    });
    report.figure({
      name: 'true peak, the largest',
      value: Math.max(...offs.map(({ loudness }) => loudness.true_peak_dbtp)),
      unit: 'dBTP',
      goal: { atMost: -1 },
    });
    const lines = project.lines.map(({ text }: Json) => ({ text, voice: 'heart_en_us' }));
    const plain = await customer.ask('POST', '/v1/cast/projects', { lines });
    const { render } = await customer.render(plain.id, { format: 'wav' });
    report.figure({
      name: 'words that Hear gets wrong of the cast',
      value: await errorsIn(customer, project, first.render.id),
      unit: '%',
      peer: 'the same lines in one plain voice',
      peerValue: await errorsIn(customer, plain, render.id),
    });
  } finally {
    await stage.close();
  }
});
