/** What a caller of /v1/omni hears, measured in a client's own playout buffer over an 8 kHz u-law line. */

import { findFfmpeg } from '../../src/codec/index.ts';
import { Models } from '../../src/platform/models/index.ts';
import { percentile, type Report, runBench } from '../harness/index.ts';
import { ScriptedBrain } from './brain.ts';
import { Caller } from './caller.ts';
import {
  agentSilent,
  agentSpeaking,
  atLevel,
  type Gap,
  type Interruption,
  measureFalseCut,
  measureGap,
  measureInterruption,
  pause,
} from './measures.ts';
import { Program } from './program.ts';
import { type Clip, clipOf, RATE, recordings, silence } from './sound.ts';

const LONG_ANSWER = Array.from(
  { length: 7 },
  (_, day) =>
    `On day ${day + 1} we are open from nine in the morning until five in the afternoon, and you may come at any time.`,
).join(' ');
const BACKCHANNELS = ['Mhm.', 'Right.', 'Okay.', 'Uh-huh.', 'Yeah.', 'I see.', 'Sure.'];
const VOICES = ['joe_en_us', 'heart_en_us', 'michael_en_us', 'bella_en_us', 'george_en_gb'];

function ffmpeg(): string {
  const found = findFfmpeg(null, new Models());
  if (!found) throw new Error('no ffmpeg: npx trunkline models fetch');
  return found.path;
}

await runBench('omni', 'Omni: what the caller hears', async (report, { quick }) => {
  const brain = await ScriptedBrain.start();
  const program = await Program.start({
    TRUNKLINE_BRAIN_URL: brain.url,
    TRUNKLINE_BRAIN_MODEL: 'scripted',
    TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
  });
  try {
    const speech = recordings(
      ffmpeg(),
      (entry) =>
        entry.lang === 'en' &&
        entry.path.endsWith('.wav') &&
        entry.seconds < 8 &&
        entry.kind !== 'noise' &&
        entry.kind !== 'tone',
    );
    const noises = recordings(ffmpeg(), (entry) => entry.kind === 'noise');
    await gaps(report, program, brain, speech, quick ? 4 : 30);
    await interruptions(report, program, brain, speech, quick ? 3 : 30);
    await falseCuts(report, program, brain, speech, noises, quick ? 6 : 110);
    await sessionsAtOnce(report, program, brain, speech, quick ? [1] : [1, 2, 3, 4]);
  } finally {
    await program.stop();
    brain.close();
  }
});

async function gaps(
  report: Report,
  program: Program,
  brain: ScriptedBrain,
  speech: readonly Clip[],
  count: number,
) {
  brain.answer = 'All right, I have noted that.';
  brain.delayMs = 0;
  const caller = await Caller.connect(program.url, program.key, { persona: 'You take notes.' });
  const found: Gap[] = [];
  let lost = 0;
  for (const clip of spread(
    speech.filter((one) => one.text.split(' ').length >= 3),
    count,
  )) {
    await agentSilent(caller);
    const gap = await measureGap(caller, brain, clip);
    if (gap === null) lost++;
    else found.push(gap);
    await agentSilent(caller);
  }
  await caller.hangUp();
  const totals = found.map(({ totalMs, brainMs }) => totalMs - brainMs);
  report.figure({
    name: 'response gap p50, brain excluded',
    value: percentile(totals, 0.5),
    unit: 'ms',
    goal: { atMost: 700 },
  });
  report.figure({
    name: 'response gap p95, brain excluded',
    value: percentile(totals, 0.95),
    unit: 'ms',
    goal: { atMost: 1100 },
  });
  report.figure({ name: 'response gap p99, brain excluded', value: percentile(totals, 0.99), unit: 'ms' });
  report.figure({
    name: 'questions answered too early or not at all',
    value: lost,
    unit: `of ${found.length + lost}`,
  });
  for (const part of ['endpoint', 'asr', 'brain', 'tts']) {
    report.figure({
      name: `gap, ${part} p50 (server)`,
      value: percentile(
        found.map(({ parts }) => parts[part] ?? 0),
        0.5,
      ),
      unit: 'ms',
    });
  }
}

async function interruptions(
  report: Report,
  program: Program,
  brain: ScriptedBrain,
  speech: readonly Clip[],
  count: number,
) {
  brain.answer = LONG_ANSWER;
  const results: Interruption[] = [];
  const caller = await Caller.connect(program.url, program.key, { greeting: LONG_ANSWER });
  for (const clip of spread(
    speech.filter((one) => one.text.split(' ').length >= 3),
    count,
  )) {
    if (!(await agentSpeaking(caller, 1_500))) continue;
    results.push(await measureInterruption(caller, clip));
    await pause(500);
  }
  await caller.hangUp();
  const cuts = results.map(({ cutMs }) => cutMs).filter((ms) => ms !== null);
  const ducks = results.map(({ duckedMs }) => duckedMs).filter((ms) => ms !== null);
  report.figure({
    name: 'ducked by 20 dB after a real interruption, p95',
    value: percentile(ducks, 0.95),
    unit: 'ms',
    goal: { atMost: 200 },
  });
  report.figure({ name: 'cut after a real interruption, p50', value: percentile(cuts, 0.5), unit: 'ms' });
  report.figure({
    name: 'cut after a real interruption, p95',
    value: percentile(cuts, 0.95),
    unit: 'ms',
    goal: { atMost: 400 },
  });
  report.figure({
    name: 'missed interruptions',
    value: results.length - cuts.length,
    unit: `of ${results.length}`,
  });
}

async function falseCuts(
  report: Report,
  program: Program,
  brain: ScriptedBrain,
  speech: readonly Clip[],
  noises: readonly Clip[],
  count: number,
) {
  brain.answer = LONG_ANSWER;
  const real = speech.filter(({ text }) => /^(yes|okay|right)$/i.test(text.trim()));
  const made = await generated(program);
  const pieces = [
    ...noises.map((clip) => ({ kind: 'noise', samples: atLevel(clip.samples.subarray(0, 2 * RATE), -35) })),
    ...real.map((clip) => ({ kind: 'real backchannel', samples: clip.samples })),
    ...made.map((clip) => ({ kind: 'generated backchannel', samples: clip.samples })),
  ];
  const tally = new Map<string, { cut: number; all: number }>();
  let caller = await Caller.connect(program.url, program.key, { greeting: LONG_ANSWER });
  for (let trial = 0; trial < count; trial++) {
    const piece = pieces[trial % pieces.length];
    if (piece === undefined) break;
    if (!(await agentSpeaking(caller, 400))) {
      await caller.hangUp();
      caller = await Caller.connect(program.url, program.key, { greeting: LONG_ANSWER });
      await agentSpeaking(caller, 600);
    }
    const cut = await measureFalseCut(caller, piece.samples);
    const row = tally.get(piece.kind) ?? { cut: 0, all: 0 };
    tally.set(piece.kind, { cut: row.cut + Number(cut), all: row.all + 1 });
    if (cut) await caller.say(silence(0.2));
  }
  await caller.hangUp();
  const rows = [...tally.values()];
  const all = rows.reduce((sum, row) => sum + row.all, 0);
  const cut = rows.reduce((sum, row) => sum + row.cut, 0);
  report.figure({
    name: `false cuts over ${all} trials`,
    value: (100 * cut) / Math.max(1, all),
    unit: '%',
    goal: { atMost: 5 },
  });
  for (const [kind, row] of tally)
    report.figure({ name: `false cuts, ${kind}`, value: row.cut, unit: `of ${row.all}` });
}

/** Signs of listening in several voices, from the server's own Speak. */
async function generated(program: Program): Promise<Clip[]> {
  const clips: Clip[] = [];
  for (const voice of VOICES) {
    for (const input of BACKCHANNELS) {
      const response = await fetch(`${program.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input, voice, response_format: 'pcm', sample_rate: 8000 }),
      });
      if (!response.ok) continue;
      const bytes = await response.arrayBuffer();
      const samples = new Int16Array(bytes.slice(0, bytes.byteLength & ~1));
      clips.push(
        clipOf({ path: `${voice}/${input}`, text: input, kind: 'generated' }, atLevel(samples, -26)),
      );
    }
  }
  return clips;
}

async function sessionsAtOnce(
  report: Report,
  program: Program,
  brain: ScriptedBrain,
  speech: readonly Clip[],
  levels: readonly number[],
) {
  brain.answer = 'All right, I have noted that.';
  const clips = spread(
    speech.filter((one) => one.text.split(' ').length >= 3),
    4,
  );
  let held = 0;
  for (const level of levels) {
    const gapsOf = async (): Promise<number[]> => {
      const caller = await Caller.connect(program.url, program.key, { persona: 'You take notes.' });
      const totals: number[] = [];
      for (const clip of clips) {
        await agentSilent(caller);
        const gap = await measureGap(caller, null, clip);
        if (gap !== null) totals.push(gap.totalMs);
      }
      await caller.hangUp();
      return totals;
    };
    const cpu = await program.cpuSeconds();
    const began = performance.now();
    const totals = (await Promise.all(Array.from({ length: level }, gapsOf))).flat();
    const load = (100 * (await program.cpuSeconds()) - 100 * cpu) / ((performance.now() - began) / 1000);
    report.figure({
      name: `gap p95 with ${level} sessions at once`,
      value: percentile(totals, 0.95),
      unit: 'ms',
    });
    report.figure({ name: `server CPU with ${level} sessions at once`, value: load, unit: '% of a core' });
    if (percentile(totals, 0.95) <= 1_500) held = level;
  }
  report.figure({ name: 'sessions at once with gap p95 under 1.5 s', value: held, unit: '' });
}

/** `count` of the items, evenly. */
function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  const chosen: T[] = [];
  for (let at = 0; at < items.length && chosen.length < count; at += step)
    chosen.push(items[Math.floor(at)] as T);
  return chosen;
}
