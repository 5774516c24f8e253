import type { Report } from '../harness/index.ts';
import { PART_NAMES, type PartName, type Results, type Run, type Stored, stored } from './parts.ts';
import { writeBuffers } from './report/buffers.ts';
import { writeClocks } from './report/clocks.ts';
import {
  writeFalseInterruptions,
  writeMissedInterruptions,
  writeOtherLanguages,
  writeSums,
} from './report/false-interruptions.ts';
import { writeFreshness } from './report/freshness.ts';
import { writeEcho, writeInterruptions } from './report/interruptions.ts';
import { writeLanguages } from './report/languages.ts';
import { writePeers } from './report/peers.ts';
import { writeResponseLatency } from './report/response-latency.ts';
import { writeSessions } from './report/sessions.ts';
import { writeCrowd } from './report/under-load.ts';

type Writer<Name extends PartName> = (report: Report, result: Results[Name]) => void;

const WRITERS: { [Name in PartName]: Writer<Name> } = {
  'gaps-endpoint': (report, result) => writeResponseLatency(report, result, 'scripted server'),
  'gaps-responder': (report, result) => writeResponseLatency(report, result, 'built-in responder'),
  interruptions: (report, result) => writeInterruptions(report, result, ''),
  backchannels: (report, result) => {
    writeFalseInterruptions(report, result);
    writeMissedInterruptions(report, 'backchannels', result);
  },
  noises: (report, result) => {
    writeFalseInterruptions(report, result);
    writeMissedInterruptions(report, 'noise', result);
  },
  peers: () => undefined,
  elsewhere: writeOtherLanguages,
  echo: writeEcho,
  clocks: writeClocks,
  crowd: writeCrowd,
  languages: writeLanguages,
  sessions: writeSessions,
  clock: (report, { minutes, speeches, framesAnHour, bound }) => {
    report.heading('The media clock');
    report.text(
      `${speeches} speeches in ${minutes.toFixed(1)} minutes of one call: when each began by the record, against when its first ` +
        'frame came to the client, by the earliest of every six in a row. Both clocks are of one machine, so that this shows what the ' +
        'server adds to its own, not how far two machines’ crystals are apart. The slope is ' +
        `${framesAnHour.toFixed(3)} frames an hour, within ${bound.toFixed(3)} of it at three standard errors. That the ` +
        'count of frames cannot run away from the clock it is given is tested over an hour of ticks, many of them late.',
    );
    report.figure({
      name: 'media clock drift, at most (slope and three standard errors)',
      value: Math.abs(framesAnHour) + bound,
      unit: 'frames an hour',
      goal: { below: 1 },
    });
  },
};

type Parts = { [Name in PartName]: Stored<Name> | null };

export function writeReport(report: Report, run: Run): void {
  const parts = Object.fromEntries(PART_NAMES.map((name) => [name, stored(name, run)])) as Parts;
  report.text(METHOD);
  for (const name of PART_NAMES) {
    const part = parts[name];
    if (part === null) continue;
    report.measuredAt(part.machine.commit);
    (WRITERS[name] as Writer<PartName>)(report, part.result);
  }
  measuredIn(report, parts.backchannels, parts.noises);
  writeSums(report, [...(parts.backchannels?.result ?? []), ...(parts.noises?.result ?? [])]);
  if (parts.peers !== null) {
    measuredIn(
      report,
      parts.peers,
      parts.interruptions,
      parts.backchannels,
      parts.noises,
      parts['gaps-endpoint'],
    );
    writePeers(report, parts.peers.result, {
      interruptions: parts.interruptions?.result ?? null,
      backchannels: parts.backchannels?.result ?? null,
      noises: parts.noises?.result ?? null,
      gaps: parts['gaps-endpoint']?.result ?? null,
    });
  }
  measuredIn(report, parts['gaps-endpoint'], parts.interruptions);
  writeBuffers(report, parts['gaps-endpoint']?.result.gaps ?? [], parts.interruptions?.result ?? []);
  writeFreshness(
    report,
    PART_NAMES.map((name) => ({
      name,
      machine: parts[name]?.machine ?? null,
      seconds: parts[name]?.seconds ?? null,
    })),
  );
}

function measuredIn(report: Report, ...parts: readonly (Stored<PartName> | null)[]): void {
  const commits = parts.flatMap((part) => (part === null ? [] : [part.machine.commit ?? 'no commit']));
  report.measuredAt([...new Set(commits)].join(' and ') || null);
}

const METHOD =
  'A caller sends frames of 20 ms as they are spoken, and hears through a playout buffer of its own without added delay. Every recording ' +
  'went through 8 kHz u-law. In parts that interrupt the agent, it says the same words each time, which come from the speech cache from the ' +
  'third time on; `npm run bench -- processors` has interruptions while speech is synthesized. Each speech has a watermark of its own, which ' +
  'changes its samples. Where a speech cannot be matched to them, the report does not say how much of it was heard, nor whether it continued ' +
  'at the sample where it was ducked. Nothing else should run on the machine: the table at the end has the load when each part began. ' +
  'Settings were chosen on one half of the speakers, voices and noises (the development half), and the figures are of the other, held-out half. ' +
  'Some rules were changed after a look at it: the shortest endpointing wait (400 ms, then 350, then 320), when an interruption is scored ' +
  'again, that the final words of a hum do not overrule its sound, the limit of a backchannel (-0.75), and that words written of a hum ' +
  'later do not count. The first run of the held-out half had 15 false interruptions in 227 trials (6.6 %); runs of the same trials since ' +
  'then are no independent test of these changes. A sound during which the agent ended its speech is played again. Speech begins and ends where ' +
  'its level first and last stays within 15.9 dB of the active speech (ITU-T P.56) for 30 ms. In a pause of its own, and once it was ' +
  'interrupted, the agent counts as ducked. The response latency leaves out the language model’s delay, but nothing that came before the caller’s ' +
  'words were final, so that what speculation saved is not subtracted twice.';
