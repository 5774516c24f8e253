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
    writeMissedInterruptions(report, 'signs of listening', result);
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
  'A caller sends 20 ms frames as they are spoken and hears through a playout buffer of its own, without any delay added. Every recording ' +
  'went through 8 kHz u-law. Where the agent is spoken to under its voice, it says the same words each time, which are served from memory from the ' +
  'third time on: `npm run bench -- processors` has cuts while its voice is made. Each speech bears a mark of its own, which changes its samples: ' +
  'where a speech is not known again by them, it is not told how much of it was heard, nor whether it went on at the sample at which it was lowered. Whoever runs it sees to it that the machine ' +
  'does nothing else: the table at the end has the load when each part began. Settings were chosen on one half of the speakers, of the voices and of each noise; the figures are of the other half, but ' +
  'some rules were made after a look at it: the shortest wait at the end of speech (400 to 350, and then to 320 ms), when an interruption ' +
  'is looked at again, and that a hum’s final words don’t overrule its sound. What tells signs of listening by their sound was learnt ' +
  'on the development half alone, but two things about it were changed after the first run of the other half had missed the goal: the ' +
  'limit from which a sound is one of them (to -0.75), and that words written of a hum afterwards don’t count. That first run had 15 false ' +
  'cuts in 227 trials, 6.6 %; runs of the same trials since then are no test of their own of what was changed. A sound during which the agent came to the end of its speech is played again; ' +
  'before, an answer to the sound itself could pass for that speech, and such a trial for one in which nothing was cut. Speech begins and ends where its level first and last stays within 15.9 dB of that ' +
  'of the active speech (ITU-T P.56) for 30 ms; reports before the one that says so took 15.9 dB below its loud parts, 4 dB later, and ' +
  'before that 25 and 35 dB. In a pause of its own, and once it is cut, the agent counts as lowered. The gap leaves out the brain’s delay, but never what came before the caller’s words were final: what ' +
  'speculation hid is not subtracted twice.';
