import { percentile, type Report } from '../../harness/index.ts';
import type { FalseInterruptionTrial } from '../false-interruptions.ts';
import type { Interruption } from '../interruptions.ts';
import { CUTS, type CutName, ENDS, type EndName } from '../peer-rules.ts';
import type { PeerPart, Peers } from '../peers.ts';
import { type ResponseLatencies, withoutBrain } from '../response-latency.ts';
import { NEVER_MS, shareOf } from './time-figures.ts';

export interface Ours {
  readonly interruptions: readonly Interruption[] | null;
  readonly backchannels: readonly FalseInterruptionTrial[] | null;
  readonly noises: readonly FalseInterruptionTrial[] | null;
  readonly gaps: ResponseLatencies | null;
}

interface Outcome {
  readonly part: PeerPart;
  readonly kind: string;
  readonly clip: string;
  readonly cutMs: number | null;
}

const OURS = 'Trunkline';
const GOAL_MS = 400;
const PARTS: readonly PeerPart[] = ['interruptions', 'backchannels', 'noises'];
const isSaid = ({ part }: Outcome): boolean => part === 'interruptions';
const isSign = ({ part }: Outcome): boolean => part === 'backchannels';
const isNoise = ({ part }: Outcome): boolean => part === 'noises';
const isReal = ({ kind }: Outcome): boolean => kind.startsWith('real');

export function writePeers(report: Report, peers: Peers, ours: Ours): void {
  report.heading('Beside the rules of others');
  report.text(METHOD);
  writeCuts(report, peers, ours);
  writeEnds(report, peers, ours);
}

const METHOD =
  'No other program runs here: these are the rules by which open frameworks for voice agents fall silent, with the settings that they ' +
  'come with, on the same sounds over the same line. They are judged in virtual time: a rule decides when the client’s 20 ms frame has come in which what ' +
  'it needs to know ends; it has no network, no engine, no queue and no playout before it, all of which ours is measured with at the ' +
  'caller’s ear. That is in their favour. Silero is the model that the engine uses too, at 8 kHz, by onnxruntime. ' +
  'pipecat asks for a volume besides, which comes later than its voice and is left out, in favour of its times; LiveKit goes on again ' +
  'after two seconds when no words came of a sound, which a caller hears as an interruption all the same. Neither’s hosted or optional models are ' +
  'in it, nor a rule that waits for words: LiveKit’s adaptive interruptions and turn detector, pipecat’s Smart Turn and least number of words.';

function writeCuts(report: Report, peers: Peers, ours: Ours): void {
  const silent = (ours.interruptions ?? []).filter((one) => one.silent === true).map(({ clip }) => clip);
  const trials = peers.trials.filter(({ part, clip }) => part !== 'interruptions' || !silent.includes(clip));
  const known = outcomesOf(ours);
  const same = PARTS.filter((name) => {
    const ofPart = <T extends { part: PeerPart }>(some: readonly T[]) =>
      some.filter(({ part }) => part === name);
    const apart = differences(ofPart(known), ofPart(trials));
    if (apart !== null) report.text(`**Ours of the part ${name} is not beside theirs: ${apart}.**`);
    return apart === null;
  });
  const rows = [
    tally(
      OURS,
      known.filter(({ part }) => same.includes(part)),
    ),
    ...(Object.keys(CUTS) as CutName[]).map((name) =>
      tally(
        name,
        trials.map((trial) => ({ ...trial, cutMs: trial.cutMs[name] })),
      ),
    ),
  ];
  report.table(
    [
      'who decides',
      'interruption latency, p50',
      'p95',
      `within ${GOAL_MS} ms`,
      'missed',
      'before the first sound',
      'false interruptions: real backchannels',
      'generated backchannels',
      'real noise',
      'generated noise',
      'decided right, %',
    ],
    rows.map((row) => [
      row.name,
      shareOf(row.waits, 0.5),
      shareOf(row.waits, 0.95),
      shareText({ cut: row.within, of: row.waits.length }),
      row.waits.length === 0 ? '' : String(row.waits.filter((ms) => ms === Infinity).length),
      row.waits.length === 0 ? '' : String(row.early),
      ...row.falseCuts.map(shareText),
      row.right?.toFixed(1) ?? '',
    ]),
  );
  report.text(
    `Decided right: the mean of three shares, of interruptions that stopped the agent within ${GOAL_MS} ms, and of backchannels and noises that did not. ` +
      'A rule that stops at any sound is the quickest, and one that never stops is never wrong: neither is any good.',
  );
  cutFigures(report, rows);
}

const shareText = ({ cut, of }: Counted): string => (of === 0 ? '' : `${cut} of ${of}`);

interface Counted {
  readonly cut: number;
  readonly of: number;
}

interface Row {
  readonly name: string;
  /** The delays leave out interruptions before the caller's first audio; a missed one counts as later than any. */
  readonly waits: readonly number[];
  readonly early: number;
  readonly within: number;
  readonly falseCuts: readonly Counted[];
  readonly signs: number | null;
  readonly noises: number | null;
  readonly right: number | null;
}

export function tally(name: string, outcomes: readonly Outcome[]): Row {
  const said = outcomes.filter(isSaid).map(({ cutMs }) => cutMs ?? Infinity);
  const waits = said.filter((ms) => ms >= 0);
  const within = waits.filter((ms) => ms <= GOAL_MS).length;
  const counted = (some: readonly Outcome[]): Counted => ({
    cut: some.filter(({ cutMs }) => cutMs !== null).length,
    of: some.length,
  });
  const percent = ({ cut, of }: Counted): number | null => (of === 0 ? null : (100 * cut) / of);
  const signs = percent(counted(outcomes.filter(isSign)));
  const noises = percent(counted(outcomes.filter(isNoise)));
  const inTime = percent({ cut: within, of: said.length });
  return {
    name,
    waits,
    early: said.length - waits.length,
    within,
    falseCuts: [isSign, isNoise].flatMap((ofPart) => {
      const some = outcomes.filter(ofPart);
      return [counted(some.filter(isReal)), counted(some.filter((one) => !isReal(one)))];
    }),
    signs,
    noises,
    right:
      inTime === null || signs === null || noises === null
        ? null
        : (inTime + (100 - signs) + (100 - noises)) / 3,
  };
}

/** Compares each figure with the rule that is best in it, whatever that rule does in the others. */
function cutFigures(report: Report, [ours, ...peers]: readonly Row[]): void {
  if (ours === undefined) return;
  const at =
    (share: number) =>
    ({ waits }: Row) =>
      waits.length === 0 ? null : Math.min(NEVER_MS, Math.round(percentile(waits, share)));
  const measures: { name: string; unit: string; of: (row: Row) => number | null; more?: true }[] = [
    { name: 'interruption latency, p50', unit: 'ms', of: at(0.5) },
    { name: 'interruption latency, p95', unit: 'ms', of: at(0.95) },
    {
      name: `interrupted within ${GOAL_MS} ms`,
      unit: '%',
      of: ({ within, waits }) => (waits.length === 0 ? null : (100 * within) / waits.length),
      more: true,
    },
    { name: 'false interruptions on backchannels', unit: '%', of: ({ signs }) => signs },
    { name: 'false interruptions on noise', unit: '%', of: ({ noises }) => noises },
    { name: 'decided right', unit: '%', of: ({ right }) => right, more: true },
  ];
  for (const { name, unit, of, more } of measures) {
    const value = of(ours);
    const known = peers.flatMap((row) => {
      const its = of(row);
      return its === null ? [] : [{ name: row.name, its }];
    });
    const best = known.sort((a, b) => (more ? b.its - a.its : a.its - b.its))[0];
    if (value === null || best === undefined) continue;
    report.figure({
      name: `${name}, beside other rules`,
      value,
      unit,
      peer: best.name,
      peerValue: best.its,
    });
  }
}

function outcomesOf({ interruptions, backchannels, noises }: Ours): Outcome[] {
  const heard = (part: PeerPart, trials: readonly FalseInterruptionTrial[] | null) =>
    (trials ?? []).map(({ kind, clip, cut, cutMs }) => ({
      part,
      kind,
      clip: kind === 'generated, not clear' ? clip.replace(/ \(.*\)$/s, '') : clip,
      cutMs: cut ? (cutMs ?? 0) : null,
    }));
  const said = (interruptions ?? [])
    .filter(({ silent }) => silent !== true)
    .map(({ clip, cutMs }) => ({ part: 'interruptions' as const, kind: 'real', clip, cutMs }));
  return [...said, ...heard('backchannels', backchannels), ...heard('noises', noises)];
}

export function differences(
  ours: readonly Pick<Outcome, 'part' | 'clip'>[],
  theirs: readonly Pick<Outcome, 'part' | 'clip'>[],
): string | null {
  const left = new Map<string, number>();
  const count = (name: string, by: number) => left.set(name, (left.get(name) ?? 0) + by);
  for (const { part, clip } of ours) count(`${part}: ${clip}`, 1);
  for (const { part, clip } of theirs) count(`${part}: ${clip}`, -1);
  const apart = [...left].filter(([, by]) => by !== 0);
  if (apart.length === 0) return null;
  const [name, by] = apart[0] as [string, number];
  return `${apart.length} sounds were played in one and not in the other, as “${name}” ${by > 0 ? 'to ours' : 'to theirs'} alone`;
}

/** After the end of a turn, each rule's answer takes as long as ours does after the final transcript. */
function writeEnds(report: Report, { turns }: Peers, { gaps }: Ours): void {
  const names = Object.keys(ENDS) as EndName[];
  const ours = gaps === null ? [] : withoutBrain(gaps.gaps);
  const asked = new Map(
    (gaps?.gaps ?? []).map(({ clip, finalMs }, at) => [clip, (ours[at] as number) - finalMs]),
  );
  const known = turns.filter(({ clip }) => asked.has(clip));
  if (known.length === 0) return;
  report.text(
    'The end of a turn, by arithmetic: a rule ends it, and the answer is heard as long after as ours is after the caller’s words are final, ' +
      'the brain’s delay left out. What ours has recognized and thought in the silence before costs them nothing, which is in their favour. ' +
      'Where a rule ends the turn before the caller has finished, there is no gap: that counts as a question cut off. What ours cut off or ' +
      'left unanswered is not among theirs, since it has no such time.',
  );
  const row = (name: string, gap: readonly number[], early: number, never: number) =>
    ({ name, gap, early, never }) as const;
  const peers = names.map((name) => {
    const ends = known.map(({ clip, endedMs }) => ({
      endedMs: endedMs[name],
      rest: asked.get(clip) as number,
    }));
    const gap = ends.flatMap(({ endedMs, rest }) =>
      endedMs === null || endedMs < 0 ? [] : [endedMs + rest],
    );
    const early = ends.filter(({ endedMs }) => endedMs !== null && endedMs < 0).length;
    return row(name, gap, early, ends.length - gap.length - early);
  });
  const rows = [row(OURS, ours, gaps?.early ?? 0, gaps?.unanswered.length ?? 0), ...peers];
  report.table(
    [
      'who ends the turn',
      'questions',
      'response latency p50',
      'p95',
      'cut off before their end',
      'not ended',
    ],
    rows.map(({ name, gap, early, never }) => [
      name,
      String(gap.length + early + never),
      shareOf(gap, 0.5),
      shareOf(gap, 0.95),
      String(early),
      String(never),
    ]),
  );
  for (const share of [0.5, 0.95]) {
    const at = (gap: readonly number[]) => Math.round(percentile(gap, share));
    const some = peers.filter(({ gap }) => gap.length > 0).sort((a, b) => at(a.gap) - at(b.gap));
    const best = some[0];
    if (best === undefined) continue;
    report.figure({
      name: `response latency p${100 * share}, beside other rules`,
      value: at(ours),
      unit: 'ms',
      peer: best.name,
      peerValue: at(best.gap),
    });
  }
}
