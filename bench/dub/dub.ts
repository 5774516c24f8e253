/**
 * Dubs recordings of real speakers through the API: how well each sentence keeps its time, how much was truncated,
 * speaker similarity, and how well the new words are recognized. `npm run bench -- dub --quick` dubs one recording.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../src/foundation/platform/project-root.ts';
import { type Goal, percentile, type Report, runBench } from '../harness/index.ts';
import { type Service, startService } from '../hear/service.ts';
import { wordErrors } from '../speak/sound.ts';
import { Meaning } from './meaning.ts';
import { misrecognizedWords } from './misrecognized-words.ts';

const SPEECH = process.env.TRUNKLINE_SPEECH ?? join(PROJECT_ROOT, '../shared/speech');

interface Recording {
  readonly source: string;
  readonly target: string;
  readonly file: string;
  readonly english?: { readonly file: string; readonly sentences: number };
}

const RECORDINGS: readonly Recording[] = [
  { source: 'es', target: 'en', file: 'watson_stt_demo/es-ES_Broadband_sample1.wav' },
  { source: 'fr', target: 'en', file: 'azure_customspeech/fr-FR_testing_audio.wav' },
  { source: 'pt', target: 'en', file: 'watson_stt_demo/pt-BR_Sample1-16KHz.wav' },
  {
    source: 'de',
    target: 'en',
    file: 'azure_customspeech/de-DE_testing_audio.wav',
    english: { file: 'azure_customspeech/en-US_testing_audio.wav', sentences: 4 },
  },
  { source: 'en', target: 'es', file: 'ljspeech/LJ001-0001.wav' },
];
const QUICK = 1;
const LOOK_EVERY_MS = 500;

interface Spoken {
  readonly text: string;
  readonly fit: string;
  readonly error_ms: number;
}

interface Dubbed {
  readonly recording: Recording;
  readonly seconds: number;
  readonly took: number;
  readonly spoken: readonly Spoken[];
  readonly likeness: readonly number[];
  readonly heard: string;
  readonly plain: string;
  readonly meanings: readonly number[];
}

const PLAIN: Readonly<Record<string, string>> = { en: 'heart_en_us', es: 'dora_es_es' };

async function ask(service: Service, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers({ authorization: `Bearer ${service.key}` });
  if (typeof init.body === 'string') headers.set('content-type', 'application/json');
  const response = await fetch(`${service.url}${path}`, { ...init, headers });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

const fileForm = (file: Blob, name: string, fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', file, name);
  return form;
};

interface View {
  readonly id: string;
  readonly status: string;
  readonly duration_s: number;
  readonly speakers: readonly { readonly likeness: number | null }[];
  readonly error: unknown;
}

async function hear(service: Service, sound: Blob, language: string): Promise<string> {
  const body = fileForm(sound, 'sound.wav', { language });
  const answer = await ask(service, '/v1/audio/transcriptions', { method: 'POST', body });
  return ((await answer.json()) as { text: string }).text;
}

async function plainly(service: Service, text: string, language: string): Promise<string> {
  const body = JSON.stringify({ input: text, voice: PLAIN[language], response_format: 'wav' });
  const sound = await (await ask(service, '/v1/audio/speech', { method: 'POST', body })).blob();
  return await hear(service, sound, language);
}

interface Segment {
  readonly text: string;
  readonly spoken: Spoken;
}

function textOf(file: string): string {
  const lines = readFileSync(join(SPEECH, 'manifest.jsonl'), 'utf8').trim().split('\n');
  const known = lines.map((line) => JSON.parse(line) as { path: string; text: string });
  return known.find(({ path }) => path === file)!.text;
}

const firstSentences = (text: string, count: number): string =>
  text
    .split(/(?<=\.)\s/u)
    .slice(0, count)
    .join(' ');

async function meaningScores(
  meaning: Meaning,
  { source, target, english }: Recording,
  data: readonly Segment[],
): Promise<readonly number[]> {
  if (english !== undefined) {
    const spoken = data.map((segment) => segment.spoken.text).join(' ');
    return [await meaning.alike(spoken, firstSentences(textOf(english.file), english.sentences))];
  }
  const stored: number[] = [];
  for (const { text, spoken } of data) {
    const one = await meaning.score({ source, target, text, spoken: spoken.text });
    if (one !== null) stored.push(one);
  }
  return stored;
}

async function dubOf(service: Service, meaning: Meaning, recording: Recording): Promise<Dubbed> {
  const { source, target, file } = recording;
  const bytes = new Blob([readFileSync(join(SPEECH, file))]);
  const began = performance.now();
  const body = fileForm(bytes, 'recording.wav', { source, target, format: 'wav', background: 'none' });
  let view = (await (await ask(service, '/v1/dub', { method: 'POST', body })).json()) as View;
  while (view.status !== 'done') {
    if (view.status === 'error') throw new Error(`${file}: ${JSON.stringify(view.error)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    view = (await (await ask(service, `/v1/dub/${view.id}`)).json()) as View;
  }
  const took = (performance.now() - began) / 1000;
  const { data } = (await (await ask(service, `/v1/dub/${view.id}/segments`)).json()) as {
    data: Segment[];
  };
  const dubbed = await (await ask(service, `/v1/dub/${view.id}/download`)).blob();
  const said = data.map(({ spoken }) => spoken.text).join(' ');
  return {
    recording,
    seconds: view.duration_s,
    took,
    spoken: data.map(({ spoken }) => spoken),
    likeness: view.speakers.flatMap(({ likeness }) => likeness ?? []),
    heard: await hear(service, dubbed, target),
    plain: await plainly(service, said, target),
    meanings: await meaningScores(meaning, recording, data),
  };
}

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((so, value) => so + value, 0) / values.length;

function notify(report: Report, dubs: readonly Dubbed[]): void {
  const spoken = dubs.flatMap((dub) => dub.spoken);
  const timed = spoken.filter(({ fit }) => fit === 'fits').map(({ error_ms }) => Math.abs(error_ms));
  const late = spoken.map(({ error_ms }) => Math.max(0, error_ms));
  const either = spoken.map(({ error_ms }) => Math.abs(error_ms));
  const uncut = spoken.filter(({ fit }) => fit !== 'cut').length / spoken.length;
  const words = (said: readonly Spoken[]) => said.map(({ text }) => text).join(' ');
  const share = (heardOf: (dub: Dubbed) => string) => {
    const errors = dubs.map((dub) => wordErrors(words(dub.spoken), heardOf(dub)));
    return sum(errors.map((one) => one.errors)) / sum(errors.map((one) => one.words));
  };
  const sum = (values: readonly number[]) => values.reduce((so, value) => so + value, 0);
  const likeness = dubs.flatMap((dub) => dub.likeness);
  const figure = (name: string, value: number, unit: string, goal?: Goal) =>
    report.figure({ name, value: Math.round(value * 1000) / 1000, unit, ...(goal ? { goal } : {}) });
  const error = percentile(timed, 0.95);
  figure('end of a sentence that fits, p95', error, 'ms', { atMost: 120 });
  figure('end of any sentence, sooner or later than the original, p95', percentile(either, 0.95), 'ms', {
    atMost: 120,
  });
  figure(
    'end of any sentence, within 120 ms',
    either.filter((ms) => ms <= 120).length / either.length,
    'share',
  );
  figure('end of any sentence after the original, p95', percentile(late, 0.95), 'ms');
  figure('sentences without a cut', uncut, 'share');
  figure('sentences said at the pace that ends on time', timed.length / spoken.length, 'share');
  report.figure({
    name: 'word error of the dub through Hear',
    value: share(({ heard }) => heard),
    unit: 'share',
    peer: 'the same words in one plain voice',
    peerValue: share(({ plain }) => plain),
  });
  const stored = (from: (recording: Recording) => boolean) =>
    dubs.filter(({ recording }) => from(recording)).flatMap((dub) => dub.meanings);
  const meant = (name: string, values: readonly number[]) => {
    if (values.length > 0) figure(name, sum(values) / values.length, 'cosine');
  };
  meant(
    'meaning kept from English, brought back by the same door, mean',
    stored(({ source }) => source === 'en'),
  );
  meant(
    'meaning kept into English, beside another door, mean',
    stored(({ source, english }) => source !== 'en' && english === undefined),
  );
  meant(
    'meaning kept from German, beside the author’s own English of the whole text',
    stored(({ english }) => english !== undefined),
  );
  figure('likeness of speaker and voice, mean', sum(likeness) / Math.max(1, likeness.length), 'cosine');
  figure(
    'time a second of recording takes',
    sum(dubs.map(({ took }) => took)) / sum(dubs.map(({ seconds }) => seconds)),
    's',
  );
  report.text(
    `Times are of a machine that did other work, too: its load was ${report.machine.load} when this began, and how long a dub takes is no figure of what it could do. All else does not depend on the load.`,
  );
  report.text(
    'Meaning is the likeness of two English sentences by MiniLM: unrelated ones are near 0, and 1 is the same. Whisper translates into English alone, so that nothing brings its dubs back: they are held against what Apertium makes of the words that were heard. Apertium has no pair for German: that dub, as a whole, is held against the English in which its author published the same page.',
  );
  reportWordErrors(report, dubs);
  report.table(
    ['recording', 'to', 'sentences', 'cut', 'reworded', 'likeness', 'meaning', 'seconds', 'took'],
    dubs.map(({ recording, spoken: said, likeness: alike, meanings, seconds, took }) => [
      recording.file,
      recording.target,
      said.length,
      said.filter(({ fit }) => fit === 'cut').length,
      said.filter(({ fit }) => fit === 'reworded').length,
      meanOf(alike),
      meanOf(meanings),
      Math.round(seconds),
      Math.round(took),
    ]),
  );
}

function reportWordErrors(report: Report, dubs: readonly Dubbed[]): void {
  const of = ({ spoken, ...dub }: Dubbed, heard: 'heard' | 'plain') =>
    misrecognizedWords(spoken.map(({ text }) => text).join(' '), dub[heard]);
  const wrong = dubs.map((dub) => ({ dub: of(dub, 'heard'), plain: of(dub, 'plain') }));
  const both = wrong.flatMap(({ dub, plain }) => dub.filter((word) => plain.includes(word)));
  const all = (from: 'dub' | 'plain') => wrong.flatMap((one) => one[from]).join(', ') || 'none';
  report.text(
    `Words that Hear gets wrong, said → heard. In the dubs: ${all('dub')}. In the plain voice: ${all('plain')}. In both alike: ${both.length}.`,
  );
}

await runBench('dub', 'Dubs', async (report, { quick }) => {
  if (!existsSync(SPEECH))
    throw new Error(`the recordings are not in ${SPEECH}: TRUNKLINE_SPEECH says where`);
  const service = await startService();
  const meaning = new Meaning();
  try {
    const dubs: Dubbed[] = [];
    for (const recording of quick ? RECORDINGS.slice(0, QUICK) : RECORDINGS)
      dubs.push(await dubOf(service, meaning, recording));
    notify(report, dubs);
  } finally {
    meaning.close();
    service.stop();
  }
});
