/**
 * The calls are answered by a recorded person or a recorded machine. The name of each recording decided its class,
 * before anything was judged.
 */
import { basename } from 'node:path';
import { speechSpan } from '../../src/apps/caller/index.ts';
import type { Answer } from '../../src/speech/amd/index.ts';
import type { Half, Recording, Recordings } from './recordings.ts';
import { chanceOf } from './seeded-chance.ts';
import { joined, levelOf, samplesOf, silence } from './sound.ts';
import { type Answering, callOf, type Trial, trimmed } from './trial.ts';

const SCREENING = ['privacy-unident', 'priv-recordintro'];
const DEAD = ['ss-noservice'];
const NEITHER = ['queue-quantity2', 'privacy-prompt', 'priv-introsaved', 'followme_sorry', 'tt-weasels'];
/** The parts of a mailbox greeting in order; with `beep` one is added, because the recording has none. */
const VOICEMAILS: readonly { readonly parts: readonly string[]; readonly beep: boolean }[] = [
  { parts: ['vm-nobodyavail', 'vm-intro'], beep: false },
  { parts: ['vm-intro'], beep: false },
  { parts: ['vm-nobodyavail'], beep: true },
  { parts: ['vm-mailboxfull'], beep: false },
  { parts: ['vm-theperson', 'vm-isonphone'], beep: true },
  { parts: ['richard_voicemail_vm-record_message'], beep: true },
  { parts: ['richard_voicemail_vm-mailbox_full'], beep: false },
];
/** Each recording is played on this many lines in the reported half, and on half as many in the other. */
const LINES = { human: 2, voicemail: 6, ivr: 1, screening: 4, dead_number: 6 } as const;
const linesOf = (truth: keyof typeof LINES, half: Half): number =>
  Math.ceil(LINES[truth] / (half === 'fitted' ? 2 : 1));
const LONGEST_ANSWER_MS = 4000;
const SHORTEST_ANSWER_MS = 250;
const MOST_OF_ONE = 6;

const nameOf = ({ path }: Recording): string => basename(path).replace(/\.[a-z0-9]+$/, '');

export function realTrials(recordings: Recordings, half: Half): Trial[] {
  return [...humanTrials(recordings, half), ...promptTrials(recordings, half)];
}

function trial(
  of: { name: string; truth: Answer; lang: string },
  answering: () => Answering,
  half: Half,
  recordings: Recordings,
): Trial {
  return { ...of, real: true, build: () => callOf(of.name, answering(), half, recordings) };
}

const spoken = (voice: Int16Array, beep = false): Answering => ({
  voice,
  speech: true,
  beep,
  afterMs: 5000,
});

function humanTrials(recordings: Recordings, half: Half): Trial[] {
  const trials: Trial[] = [];
  for (const person of recordings.people(half)) {
    const answers = answersIn(recordings.decode(person.path));
    for (const [which, voice] of answers.entries()) {
      for (let line = 0; line < linesOf('human', half); line++) {
        const name = `human ${person.path} ${which} ${line}`;
        trials.push(
          trial({ name, truth: 'human', lang: person.lang }, () => spoken(voice), half, recordings),
        );
      }
    }
  }
  return trials;
}

function answersIn(recording: Int16Array): Int16Array[] {
  const all = utterances(recording).map(trimmed);
  const fit = all.filter((voice) => {
    const { startMs, endMs } = speechSpan(voice, 25);
    return endMs - startMs >= SHORTEST_ANSWER_MS && endMs - startMs <= LONGEST_ANSWER_MS;
  });
  const step = Math.max(1, fit.length / MOST_OF_ONE);
  return Array.from({ length: Math.min(fit.length, MOST_OF_ONE) }, (_, at) => fit[Math.floor(at * step)]!);
}

const BLOCK_MS = 20;
const PAUSE_BLOCKS = 30;

function utterances(recording: Int16Array): Int16Array[] {
  const block = samplesOf(BLOCK_MS);
  const levels: number[] = [];
  for (let at = 0; at + block <= recording.length; at += block)
    levels.push(levelOf(recording.subarray(at, at + block)));
  const loud = Math.max(...levels) - 30;
  const found: Int16Array[] = [];
  let from = -1;
  let last = -1;
  const close = (): void => {
    if (from >= 0) found.push(recording.subarray(Math.max(0, from - 5) * block, (last + 8) * block));
    from = -1;
  };
  for (const [at, level] of levels.entries()) {
    if (level >= loud) {
      if (from < 0) from = at;
      last = at;
    } else if (from >= 0 && at - last > PAUSE_BLOCKS) close();
  }
  close();
  return found;
}

function promptTrials(recordings: Recordings, half: Half): Trial[] {
  const all = recordings.prompts(half);
  const groups = [...new Set(all.map(({ group }) => group))];
  const byGroup = groups.map((group) => all.filter((prompt) => prompt.group === group));
  return byGroup.flatMap((prompts) => [
    ...voicemails(prompts, recordings, half),
    ...menus(prompts, recordings, half),
    ...alone(prompts, 'screening', SCREENING, recordings, half),
    ...alone(prompts, 'dead_number', DEAD, recordings, half),
  ]);
}

function voicemails(prompts: readonly Recording[], recordings: Recordings, half: Half): Trial[] {
  const by = new Map(prompts.map((prompt) => [nameOf(prompt), prompt]));
  return VOICEMAILS.filter(({ parts }) => parts.every((part) => by.has(part))).flatMap(({ parts, beep }) =>
    Array.from({ length: linesOf('voicemail', half) }, (_, line) => {
      const { group, lang } = prompts[0]!;
      const name = `voicemail ${group} ${parts.join('+')} ${line}`;
      const voice = () =>
        chained(
          name,
          parts.map((part) => by.get(part)!),
          recordings,
        );
      return trial({ name, truth: 'voicemail', lang }, () => spoken(voice(), beep), half, recordings);
    }),
  );
}

/** Each prompt is followed by the next of the same voice, because a telephone menu is never one sentence. */
function menus(prompts: readonly Recording[], recordings: Recordings, half: Half): Trial[] {
  const other = [...SCREENING, ...DEAD, ...NEITHER];
  const all = prompts.filter((prompt) => prompt.kind === 'ivr' && !other.includes(nameOf(prompt)));
  return all.flatMap((prompt, at) =>
    Array.from({ length: linesOf('ivr', half) }, (_, line) => {
      const next = all[(at + 1) % all.length]!;
      const name = `ivr ${prompt.path}+${nameOf(next)} ${line}`;
      const voice = () => chained(name, [prompt, next], recordings);
      return trial({ name, truth: 'ivr', lang: prompt.lang }, () => spoken(voice()), half, recordings);
    }),
  );
}

function alone(
  prompts: readonly Recording[],
  truth: 'screening' | 'dead_number',
  names: readonly string[],
  recordings: Recordings,
  half: Half,
): Trial[] {
  return prompts
    .filter((prompt) => names.includes(nameOf(prompt)))
    .flatMap((prompt) =>
      Array.from({ length: linesOf(truth, half) }, (_, line) => {
        const name = `${truth} ${prompt.path} ${line}`;
        const voice = () => recordings.decode(prompt.path);
        return trial({ name, truth, lang: prompt.lang }, () => spoken(voice()), half, recordings);
      }),
    );
}

function chained(name: string, parts: readonly Recording[], recordings: Recordings): Int16Array {
  const chance = chanceOf(`pauses of ${name}`);
  return joined(
    ...parts.flatMap((part, at) => [
      silence(at === 0 ? 0 : chance.between(150, 500)),
      trimmed(recordings.decode(part.path)),
    ]),
  );
}
