/**
 * Speech: time to first audio, real-time factor, concurrent streams, round trip, loudness, seams, and manners. `npm
 * run bench -- speak` runs every part; `npm run bench -- speak PART…` runs those named, and `report` none: the report
 * uses the last results of every part.
 */
import { runBench } from '../harness/index.ts';
import { clones } from './clones.ts';
import { reportEmotions } from './emotions.ts';
import { firstAudio, firstAudioByLength } from './first.ts';
import { kernels } from './kernels.ts';
import { keepPart, originNow, reportOrigins, reportPart, Section } from './parts.ts';
import { quality } from './quality.ts';
import { Speaker, Stage } from './served-surface.ts';
import { atOnce, cancelled, realTime } from './timing.ts';
import { measureWords, reportWords } from './words.ts';

type Part = (section: Section, quick: boolean) => Promise<void>;

const onServer =
  (measure: (section: Section, stage: Stage, quick: boolean) => Promise<void>): Part =>
  async (section, quick) => {
    const stage = await Stage.open();
    try {
      await measure(section, stage, quick);
    } finally {
      await stage.close();
    }
  };

const inProcess =
  (measure: (section: Section, speaker: Speaker, quick: boolean) => Promise<void>): Part =>
  async (section, quick) => {
    const speaker = new Speaker();
    try {
      await speaker.engine.prepared();
      await measure(section, speaker, quick);
    } finally {
      speaker.close();
    }
  };

/** The round trip of one language's voices, whose rows are reported with those of all. */
const wordsOf = (language: string): Part =>
  inProcess((_, speaker, quick) => measureWords(speaker, quick, language));

const PARTS: Readonly<Record<string, Part>> = {
  first: onServer(firstAudio),
  lengths: onServer(firstAudioByLength),
  factor: inProcess(realTime),
  kernels: (section, quick) => kernels(section, quick),
  cancel: inProcess(cancelled),
  streams: inProcess(atOnce),
  loudness: inProcess(quality),
  words: inProcess(async (section, speaker, quick) => {
    await measureWords(speaker, quick);
    reportWords(section, quick);
  }),
  chinese: wordsOf('zh'),
  japanese: wordsOf('ja'),
  emotions: inProcess(reportEmotions),
  clones: onServer(clones),
};

await runBench('speak', 'Speech', async (report, { quick, parts }) => {
  const names = Object.keys(PARTS);
  const unknown = parts.find((part) => part !== 'report' && !names.includes(part));
  if (unknown !== undefined) throw new Error(`no part ${unknown}: ${names.join(', ')}, report`);
  for (const name of parts.length === 0 ? names : names.filter((part) => parts.includes(part))) {
    const section = new Section();
    const origin = originNow();
    await PARTS[name]!(section, quick);
    keepPart(name, section, origin, quick);
  }
  reportOrigins(report, names, quick);
  for (const name of names) reportPart(report, name, quick);
});
