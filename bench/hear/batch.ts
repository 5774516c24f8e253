/** Files: word error and real-time factor of single clips and of clips joined into long files, the peer beside it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../harness/index.ts';
import { type Clip, readClip, spokenClips, thin, wavOf } from './clips.ts';
import { peerAbsent, runPeer } from './peer.ts';
import { type Service, startService } from './service.ts';
import { interval, pooled, type Score, scoreText } from './words.ts';

interface Answer {
  readonly text: string;
  readonly seconds: number;
}

async function transcribe(service: Service, wav: Buffer, language: string): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(wav)]), 'clip.wav');
  form.append('language', language);
  const began = performance.now();
  const response = await fetch(`${service.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}` },
    body: form,
  });
  const body = (await response.json()) as { text?: string };
  if (body.text === undefined) throw new Error(JSON.stringify(body));
  return { text: body.text, seconds: (performance.now() - began) / 1000 };
}

const scores = (clips: readonly Clip[], answers: readonly { text: string }[]): Score[] =>
  clips.map((clip, index) => scoreText(clip.text, answers[index]!.text, clip.language));
const audio = (clips: readonly Clip[]) => clips.reduce((sum, clip) => sum + clip.seconds, 0);
const time = (answers: readonly Answer[]) => answers.reduce((sum, one) => sum + one.seconds, 0);
const percent = (rate: number) => `${(rate * 100).toFixed(1)} %`;
const ranged = (list: readonly Score[]) => {
  const [low, high] = interval(list);
  return `${percent(pooled(list))} (${percent(low)} to ${percent(high)})`;
};

interface Run {
  readonly name: string;
  readonly answers: readonly Answer[];
}

/** `seconds` of English clips; all of the other languages. */
export async function measureBatch(report: Report, seconds: number, joinedSeconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hear-bench-'));
  // One thread of inference, as the peer has.
  const service = await startService({ TRUNKLINE_ENGINE_THREADS: '1', TRUNKLINE_DEVICE: 'cpu' });
  try {
    const all = spokenClips();
    const english = thin(
      all.filter((clip) => clip.language === 'en' && clip.seconds <= 30),
      seconds,
    );
    await single(report, service, folder, english);
    await joined(report, service, folder, english, joinedSeconds);
    await others(
      report,
      service,
      all.filter((clip) => clip.language !== 'en'),
    );
  } finally {
    service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function single(
  report: Report,
  service: Service,
  folder: string,
  clips: readonly Clip[],
): Promise<void> {
  const pcm = clips.map((clip) => readClip(clip.path));
  await transcribe(service, wavOf(pcm[0]!, 16000), 'en');
  const answers: Answer[] = [];
  for (const one of pcm) answers.push(await transcribe(service, wavOf(one, 16000), 'en'));
  const runs: Run[] = [{ name: 'this server', answers }];
  if (!peerAbsent) {
    const files = pcm.map((one, index) => {
      const path = join(folder, `${index}.wav`);
      writeFileSync(path, wavOf(one, 16000));
      return { path, language: 'en' };
    });
    for (const beam of [1, 5])
      runs.push({ name: `faster-whisper base int8, beam ${beam}`, answers: runPeer(files, beam) });
  }
  report.heading('English, single clips');
  report.text(
    `${clips.length} clips of real voices with exact texts, ${Math.round(audio(clips))} s, the language forced, one thread of inference. Word errors are pooled over normalised words; the interval holds 95 % of 1,000 drawings of whole clips.`,
  );
  report.table(
    ['', 'word error (95 %)', 'real-time factor'],
    runs.map((run) => [
      run.name,
      ranged(scores(clips, run.answers)),
      (time(run.answers) / audio(clips)).toFixed(3),
    ]),
  );
  const groups = [...new Set(clips.map((clip) => `${clip.kind}, ${clip.group}`))].sort();
  report.table(
    ['kind, source', 'words', ...runs.map((run) => run.name)],
    groups.map((group) => {
      const chosen = clips.flatMap((clip, index) => (`${clip.kind}, ${clip.group}` === group ? [index] : []));
      const part = (run: Run) => chosen.map((index) => scores(clips, run.answers)[index]!);
      return [
        group,
        part(runs[0]!).reduce((sum, one) => sum + one.words, 0),
        ...runs.map((run) => percent(pooled(part(run)))),
      ];
    }),
  );
  if (peerAbsent) report.text(`The peer was not measured: ${peerAbsent}.`);
  const [ours, ...peers] = runs.map((run) => pooled(scores(clips, run.answers)));
  for (const [index, beam] of [1, 5].entries()) {
    const peer = peers[index];
    report.figure({
      name: `word error, English clips, beside beam ${beam}`,
      value: ours!,
      unit: 'of words',
      ...(peer === undefined ? {} : { goal: { atMost: peer }, peer: runs[index + 1]!.name, peerValue: peer }),
    });
  }
  const peerTime = runs[1] ? time(runs[1].answers) / audio(clips) : undefined;
  report.figure({
    name: 'real-time factor, single clips, one thread',
    value: time(answers) / audio(clips),
    unit: 's/s',
    ...(peerTime === undefined
      ? {}
      : { goal: { atMost: peerTime }, peer: runs[1]!.name, peerValue: peerTime }),
  });
}

/** Clips one after another with half a second between, until the file is long enough. */
async function joined(
  report: Report,
  service: Service,
  folder: string,
  clips: readonly Clip[],
  seconds: number,
) {
  const chosen: Clip[] = [];
  while (audio(chosen) < seconds) chosen.push(clips[chosen.length % clips.length]!);
  const gap = Buffer.alloc(16000);
  const pcm = Buffer.concat(chosen.flatMap((clip) => [readClip(clip.path), gap]));
  const length = pcm.length / 32000;
  const answer = await transcribe(service, wavOf(pcm, 16000), 'en');
  const expected = chosen.map((clip) => clip.text).join(' ');
  const score = scoreText(expected, answer.text, 'en');
  const path = join(folder, 'joined.wav');
  writeFileSync(path, wavOf(pcm, 16000));
  const peer = peerAbsent ? undefined : runPeer([{ path, language: 'en' }], 1)[0]!;
  report.heading('English, clips joined into one file');
  report.table(
    ['', 'seconds of audio', 'word error', 'real-time factor'],
    [
      ['this server', length.toFixed(0), percent(pooled([score])), (answer.seconds / length).toFixed(3)],
      ...(peer
        ? [
            [
              'faster-whisper base int8, beam 1',
              length.toFixed(0),
              percent(pooled([scoreText(expected, peer.text, 'en')])),
              (peer.seconds / length).toFixed(3),
            ],
          ]
        : []),
    ],
  );
  report.figure({
    name: `real-time factor, a joined file of ${Math.round(length)} s, one thread`,
    value: answer.seconds / length,
    unit: 's/s',
    goal: { atMost: 0.12 },
    ...(peer ? { peer: 'faster-whisper base int8, beam 1', peerValue: peer.seconds / length } : {}),
  });
}

async function others(report: Report, service: Service, clips: readonly Clip[]): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const language of ['de', 'es', 'fr', 'it', 'pt', 'nl']) {
    const mine = clips.filter((clip) => clip.language === language && clip.seconds <= 90);
    const answers: Answer[] = [];
    for (const clip of mine)
      answers.push(await transcribe(service, wavOf(readClip(clip.path), 16000), language));
    const list = scores(mine, answers);
    rows.push([language, mine.length, list.reduce((sum, one) => sum + one.words, 0), percent(pooled(list))]);
  }
  report.heading('Other languages');
  report.text(
    'Few real recordings with exact texts are at hand in these languages, and none in Hindi: these rows show that they work, and claim no rate.',
  );
  report.table(['language', 'clips', 'words', 'word error'], rows);
}
