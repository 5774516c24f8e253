import { type Report, wavOf } from '../harness/index.ts';
import { type Clip, readClip, spokenClips, thin } from './clips.ts';
import type { StoredPart } from './parts.ts';
import { type Service, startService } from './service.ts';
import { streamClip } from './stream-client.ts';
import { plainWords, pooled, type Score, scoreText } from './words.ts';

const MOST_TERMS = 200;
const LEAST_LETTERS = 5;
/** A vocabulary is for rare words: those that few of the texts hold. */
const MOST_TEXTS = 2;
const STREAMED_SECONDS = 120;
const CALLERS = 4;
const SILENCE_BYTES = 2 * 16000;

/** Texts write numbers with digits, however they are spoken. */
const NUMBERS = new Set(['hundred', 'thousand', 'million', 'billion']);

const UNRELATED =
  'Siobhan Qumulo Kowalczyk Xarelto Ozempic Zelbrix Nguyen Okonkwo Bhattacharya Szczepanski Eliquis Humira Farxiga Snowflake Kubernetes Terraform Grafana Datadog Cloudera Mulesoft Twilio Zendesk Atlassian Salesforce Netsuite Klarna Trunkline Anaheim Schenectady Poughkeepsie Worcestershire Llanelli Reykjavik Tegucigalpa Ouagadougou Antananarivo Thiruvananthapuram Metoprolol Lisinopril Atorvastatin'.split(
    ' ',
  );
const HINDI = ['दिल्ली', 'मुंबई', 'नमस्ते', 'रिज़र्वेशन'];

interface Recognized extends Score {
  /** Terms of the clip's text that the transcript holds. */
  readonly recalled: number;
  /** Terms that the transcript holds and the text does not. */
  readonly invented: number;
}

interface Run {
  readonly errors: number;
  readonly words: number;
  readonly recalled: number;
  readonly invented: number;
}

export interface VocabularyData {
  readonly clips: number;
  readonly terms: number;
  readonly said: number;
  readonly none: Run;
  readonly expected: Run;
  readonly unrelated: Run;
  readonly streams?: { clips: number; said: number; none: Run; expected: Run };
  readonly others: { clips: number; none: Score; unrelated: Score; changedScript: number };
}

export async function measureVocabulary(seconds: number): Promise<VocabularyData> {
  const english = spokenClips().filter((clip) => clip.language === 'en' && clip.seconds <= 30);
  const terms = rareWords(english);
  const clips = thin(
    english.filter((clip) => said(clip, terms).length > 0),
    seconds,
  );
  const others = spokenClips().filter((clip) => clip.language !== 'en' && clip.seconds <= 20);
  const service = await startService({ TRUNKLINE_DEVICE: 'cpu' });
  try {
    const run = async (
      active: readonly string[],
      counted: readonly string[],
      hear: (service: Service, clips: readonly Clip[]) => Promise<string[]> = hearFiles,
      of = clips,
    ): Promise<Run> => {
      await setTerms(service, active);
      const texts = await hear(service, of);
      const heard = of.map((clip, at) => judge(clip, texts[at]!, counted));
      const sum = (of: (one: Recognized) => number) => heard.reduce((total, one) => total + of(one), 0);
      return {
        errors: sum((one) => one.errors),
        words: sum((one) => one.words),
        recalled: sum((one) => one.recalled),
        invented: sum((one) => one.invented),
      };
    };
    const none = await run([], terms);
    const expected = await run(terms, terms);
    const unrelated = await run(UNRELATED, UNRELATED);
    const streamed = thin(
      clips.filter((clip) => clip.seconds >= 1 && clip.seconds <= 14),
      STREAMED_SECONDS,
    );
    const streams = {
      clips: streamed.length,
      said: streamed.reduce((total, clip) => total + said(clip, terms).length, 0),
      none: await run([], terms, hearStreams, streamed),
      expected: await run(terms, terms, hearStreams, streamed),
    };
    return {
      clips: clips.length,
      terms: terms.length,
      said: clips.reduce((total, clip) => total + said(clip, terms).length, 0),
      none,
      expected,
      unrelated,
      streams,
      others: await hearOthers(service, others),
    };
  } finally {
    service.stop();
  }
}

async function hearFiles(service: Service, clips: readonly Clip[]): Promise<string[]> {
  const texts: string[] = [];
  for (const clip of clips) texts.push(await transcribe(service, clip, 'en'));
  return texts;
}

/** The audio comes in real time, because a partial that is settled cannot be corrected any more. */
async function hearStreams(service: Service, clips: readonly Clip[]): Promise<string[]> {
  const texts: string[] = [];
  let next = 0;
  const caller = async () => {
    while (next < clips.length) {
      const at = next++;
      const pcm = Buffer.concat([readClip(clips[at]!.path), Buffer.alloc(SILENCE_BYTES)]);
      const { arrived } = await streamClip(service, pcm, 16000, { language: 'en', endpointing_ms: '300' });
      const finals = arrived.filter(({ frame }) => frame.type === 'final');
      texts[at] = finals.map(({ frame }) => frame.text).join(' ');
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return texts;
}

/** The request does not set the language, so that terms could mislead it. */
async function hearOthers(service: Service, clips: readonly Clip[]): Promise<VocabularyData['others']> {
  const hear = async (terms: readonly string[]) => {
    await setTerms(service, terms);
    const texts: string[] = [];
    for (const clip of clips) texts.push(await transcribe(service, clip));
    return texts;
  };
  const none = await hear([]);
  const unrelated = await hear([...UNRELATED, ...HINDI]);
  const score = (texts: readonly string[]): Score => {
    const scores = clips.map((clip, at) => scoreText(clip.text, texts[at]!, clip.language));
    return {
      errors: scores.reduce((sum, one) => sum + one.errors, 0),
      words: scores.reduce((sum, one) => sum + one.words, 0),
    };
  };
  return {
    clips: clips.length,
    none: score(none),
    unrelated: score(unrelated),
    changedScript: unrelated.filter((text, at) => scripts(text) !== scripts(none[at]!)).length,
  };
}

const scripts = (text: string): string =>
  [/\p{Script=Latin}/u, /\p{Script=Devanagari}/u, /\p{Script=Arabic}/u].map((one) => one.test(text)).join();

function rareWords(clips: readonly Clip[]): string[] {
  const texts = new Map<string, number>();
  for (const clip of clips) {
    for (const word of new Set(plainWords(clip.text, 'en'))) texts.set(word, (texts.get(word) ?? 0) + 1);
  }
  return [...texts]
    .filter(([word, count]) => count <= MOST_TEXTS && /^\p{L}+$/u.test(word) && word.length >= LEAST_LETTERS)
    .filter(([word]) => !NUMBERS.has(word))
    .map(([word]) => word)
    .sort()
    .slice(0, MOST_TERMS);
}

const said = (clip: Clip, terms: readonly string[]): string[] => {
  const words = new Set(plainWords(clip.text, 'en'));
  return terms.filter((term) => words.has(term));
};

function judge(clip: Clip, text: string, terms: readonly string[]): Recognized {
  const heard = new Set(plainWords(text, 'en'));
  const spoken = new Set(plainWords(clip.text, 'en'));
  const found = terms.map((term) => term.toLowerCase()).filter((term) => heard.has(term));
  return {
    ...scoreText(clip.text, text, 'en'),
    recalled: found.filter((term) => spoken.has(term)).length,
    invented: found.filter((term) => !spoken.has(term)).length,
  };
}

async function setTerms(service: Service, terms: readonly string[]): Promise<void> {
  const active = { active: terms.length > 0 };
  const response = await fetch(`${service.url}/v1/hear/vocabulary`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ terms: terms.map((term) => ({ term })), batch: active, streaming: active }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

async function transcribe(service: Service, clip: Clip, language?: string): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(wavOf(readClip(clip.path), 16000))]), 'clip.wav');
  if (language) form.append('language', language);
  const response = await fetch(`${service.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}` },
    body: form,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { text: string }).text;
}

export function reportVocabulary(report: Report, { measured, data }: StoredPart<VocabularyData>): void {
  const { none, expected, unrelated, streams, others } = data;
  report.heading('Vocabulary');
  report.text(
    `${data.clips} English clips hold ${data.said} words of ${LEAST_LETTERS} letters and more that at most ${MOST_TEXTS} of all texts hold; ${data.terms} such words are the organization's terms in one run, ${UNRELATED.length} names that nobody says in another. A term is invented when the transcript holds it and the text does not. Measured ${measured}.`,
  );
  const row = (name: string, run: Run, ofSaid: number | null) => [
    name,
    `${(pooled([run]) * 100).toFixed(1)} %`,
    ofSaid === null ? '-' : `${run.recalled} of ${ofSaid}`,
    run.invented,
  ];
  report.table(
    ['terms', 'word error', 'rare words recalled', 'terms invented'],
    [
      row('none', none, data.said),
      row('the rare words', expected, data.said),
      row('names that nobody says', unrelated, null),
      ...(streams
        ? [
            row(`none, ${streams.clips} of the clips as streams`, streams.none, streams.said),
            row('the rare words, the same streams', streams.expected, streams.said),
          ]
        : []),
    ],
  );
  report.text(
    `In ${others.clips} clips of other languages, the language not said, with these names and ${HINDI.length} Hindi terms: word error ${(pooled([others.none]) * 100).toFixed(1)} % without terms, ${(pooled([others.unrelated]) * 100).toFixed(1)} % with; ${others.changedScript} texts changed script.`,
  );
  report.figure({
    name: 'rare words recalled, as terms',
    value: expected.recalled / Math.max(1, data.said),
    unit: 'of those said',
    goal: { atLeast: Number((none.recalled / Math.max(1, data.said)).toFixed(4)) },
    peer: 'without terms',
    peerValue: none.recalled / Math.max(1, data.said),
  });
  if (streams) {
    report.figure({
      name: 'rare words recalled in streams, as terms',
      value: streams.expected.recalled / Math.max(1, streams.said),
      unit: 'of those said',
      goal: { atLeast: Number((streams.none.recalled / Math.max(1, streams.said)).toFixed(4)) },
      peer: 'without terms',
      peerValue: streams.none.recalled / Math.max(1, streams.said),
    });
  }
  report.figure({
    name: 'terms invented that nobody said, of both lists and the streams',
    value: expected.invented + unrelated.invented + (streams?.expected.invented ?? 0),
    unit: 'terms',
    goal: { atMost: 0 },
  });
  report.figure({
    name: 'texts whose script a vocabulary changed',
    value: others.changedScript,
    unit: 'texts',
    goal: { atMost: 0 },
  });
}
