/**
 * Hear: files and streams of real voices through the served product, compared with faster-whisper.
 *
 *     npm run bench -- hear                     runs all parts, about half an hour
 *     npm run bench -- hear streams             runs one part, a few minutes; the report joins it to the stored others
 *     npm run bench -- hear report              runs none; it writes the report again
 *     npm run bench -- hear --quick             uses fewer clips
 */
import { join } from 'node:path';
import { type Report, runBench } from '../harness/index.ts';
import { needRecordings } from './clips.ts';
import { measurePauseless, type PauselessData, reportPauseless } from './continuous-speech.ts';
import {
  type FilesData,
  type FilesSizes,
  longRecording,
  measureOurs,
  measurePeer,
  type Recognized,
} from './files.ts';
import { reportFiles } from './files-report.ts';
import { PartStore } from './parts.ts';
import {
  type ConcurrentStreamsData,
  measureConcurrentStreams,
  measureDensity,
  measureStreams,
  type StreamsData,
} from './streams.ts';
import { inTime, reportConcurrentStreams, reportDensity, reportStreams } from './streams-report.ts';
import { measureVocabulary, reportVocabulary, type VocabularyData } from './vocabulary.ts';
import { measureVoiceActivity, reportVoiceActivity, type VoiceData } from './voice-activity.ts';

const PEERS = { 'peer-1': 'faster-whisper base int8, beam 1', 'peer-5': 'faster-whisper base int8, beam 5' };

interface Sizes {
  readonly files: FilesSizes;
  readonly streamSeconds: number;
  readonly telephoneSeconds: number;
  readonly atOnce: readonly number[];
  readonly atOnceSeconds: number;
  readonly concurrentSeconds: number;
  readonly pauselessSeconds: number;
  readonly vocabularySeconds: number;
  readonly voiceSeconds: number;
}

const WHOLE: Sizes = {
  files: { seconds: 2000, joinedSeconds: 200 },
  streamSeconds: 2000,
  telephoneSeconds: 400,
  atOnce: [8, 12, 16],
  atOnceSeconds: 240,
  concurrentSeconds: 120,
  pauselessSeconds: 120,
  vocabularySeconds: 250,
  voiceSeconds: 600,
};

const QUICK: Sizes = {
  files: { seconds: 120, joinedSeconds: 180 },
  streamSeconds: 160,
  telephoneSeconds: 80,
  atOnce: [8],
  atOnceSeconds: 80,
  concurrentSeconds: 40,
  pauselessSeconds: 35,
  vocabularySeconds: 30,
  voiceSeconds: 120,
};

const parts = (sizes: Sizes): Record<string, () => unknown> => ({
  files: () => measureOurs(sizes.files, 'wide'),
  'files-ulaw': () => measureOurs(sizes.files, 'telephone'),
  'peer-1': () => measurePeer(sizes.files, 'wide', 1),
  'peer-1-ulaw': () => measurePeer(sizes.files, 'telephone', 1),
  'peer-5': () => measurePeer(sizes.files, 'wide', 5),
  'peer-5-ulaw': () => measurePeer(sizes.files, 'telephone', 5),
  streams: () => measureStreams('wide', { seconds: sizes.streamSeconds, streams: 4 }),
  'streams-ulaw': () => measureStreams('telephone', { seconds: sizes.telephoneSeconds, streams: 4 }),
  density: () => measureDensity(sizes.atOnce, sizes.atOnceSeconds, (data) => !inTime(data)),
  'streams-upload': () =>
    measureConcurrentStreams(
      { seconds: sizes.concurrentSeconds, streams: 4 },
      longRecording(sizes.files.joinedSeconds),
    ),
  pauseless: () => measurePauseless(sizes.pauselessSeconds),
  vocabulary: () => measureVocabulary(sizes.vocabularySeconds),
  voice: () => measureVoiceActivity(sizes.voiceSeconds),
});

function write(report: Report, store: PartStore): void {
  const files = store.read<FilesData>('files');
  const streams = store.read<StreamsData>('streams');
  const telephone = store.read<StreamsData>('streams-ulaw');
  const density = store.read<StreamsData[]>('density');
  const concurrent = store.read<ConcurrentStreamsData>('streams-upload');
  const pauseless = store.read<PauselessData>('pauseless');
  const vocabulary = store.read<VocabularyData>('vocabulary');
  const voice = store.read<VoiceData>('voice');
  report.text(
    'Each part can be run alone (`npm run bench -- hear streams`); what it measured is kept under `build-bench` until it is run again. The peer has a Python environment of its own (`bench/hear/requirements.txt`) and reads the same pinned weights that our graphs are made of (`bench/hear/peer-setup.mjs`), both made at its first run.',
  );
  if (files) {
    const overLine = (part: string) => store.read<Recognized[]>(`${part}-ulaw`)?.data;
    const peers = Object.entries(PEERS).map(([part, name]) => ({
      part,
      name,
      stored: store.read<FilesData>(part),
    }));
    const measured = peers.flatMap(({ part, name, stored }) =>
      stored ? [{ name, stored, telephone: overLine(part) }] : [],
    );
    const unmeasured = peers.filter(({ stored }) => !stored).map(({ name }) => name);
    const ours = { name: 'this server', stored: files, telephone: overLine('files') };
    reportFiles(report, [ours, ...measured], unmeasured);
  }
  if (streams || telephone) reportStreams(report, streams, telephone);
  if (density) reportDensity(report, density);
  else report.text('How many streams at once this machine carries was not measured.');
  if (concurrent) reportConcurrentStreams(report, concurrent);
  if (pauseless) reportPauseless(report, pauseless);
  if (vocabulary) reportVocabulary(report, vocabulary);
  if (voice) reportVoiceActivity(report, voice);
}

const REPORT = 'report';
const names = Object.keys(parts(WHOLE));

await runBench('hear', 'Hear: recognition of files and streams', async (report, { quick, parts: chosen }) => {
  needRecordings();
  const store = new PartStore(join(process.cwd(), 'build-bench', quick ? 'quick/hear' : 'hear/parts'));
  const measures = parts(quick ? QUICK : WHOLE);
  for (const name of chosen) {
    if (name !== REPORT && !names.includes(name))
      throw new RangeError(`part: expected one of ${names.join(', ')}, received ${name}`);
  }
  for (const name of chosen.length > 0 ? chosen : names) {
    if (name === REPORT) continue;
    console.log(`${name}…`);
    store.keep(name, await measures[name]!());
  }
  write(report, store);
});
