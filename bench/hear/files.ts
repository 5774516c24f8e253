import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wavOf } from '../harness/index.ts';
import { type Clip, overTelephone, readClip, spokenClips, thin } from './clips.ts';
import { preparePeer, runPeer } from './peer.ts';
import { type Service, startService } from './service.ts';
import { pooled, type Score, scoreText } from './words.ts';

/** The result has no text, because some recordings hold names of people. */
export interface Recognized extends Score {
  readonly seconds: number;
  readonly spent: number;
  readonly language: string;
  readonly source: string;
}

export interface FilesData {
  readonly wide: readonly Recognized[];
  readonly joined: readonly Recognized[];
  readonly others: readonly Recognized[];
}

export type Files = FilesData | readonly Recognized[];
export type Line = 'wide' | 'telephone';

export interface FilesSizes {
  readonly seconds: number;
  readonly joinedSeconds: number;
}

export const OTHER_LANGUAGES = ['de', 'es', 'fr', 'it', 'pt', 'nl'];

const sum = (list: readonly Recognized[], of: (one: Recognized) => number) =>
  list.reduce((total, one) => total + of(one), 0);
export const realTime = (list: readonly Recognized[]) =>
  sum(list, (one) => one.spent) / sum(list, (one) => one.seconds);

interface Sound {
  readonly clip: Clip;
  readonly wav: Buffer;
}

type Recognize = (sounds: readonly Sound[]) => Promise<readonly Answer[]>;

interface Answer {
  readonly text: string;
  readonly seconds: number;
}

/** The server has one inference thread, as the peer has. */
export async function measureOurs(sizes: FilesSizes, line: Line): Promise<Files> {
  const service = await startService({ TRUNKLINE_ENGINE_THREADS: '1', TRUNKLINE_DEVICE: 'cpu' });
  try {
    const recognize: Recognize = async (sounds) => {
      const answers: Answer[] = [];
      for (const sound of sounds) answers.push(await transcribe(service, sound));
      return answers;
    };
    await recognize(sounds(english(sizes.seconds).slice(0, 1)));
    return await measureLine(sizes, line, recognize);
  } finally {
    service.stop();
  }
}

export async function measurePeer(sizes: FilesSizes, line: Line, beam: number): Promise<Files> {
  const peer = preparePeer();
  const folder = mkdtempSync(join(tmpdir(), 'hear-bench-'));
  try {
    return await measureLine(sizes, line, async (sounds) => {
      const files = sounds.map(({ clip, wav }, index) => {
        const path = join(folder, `${index}.wav`);
        writeFileSync(path, wav);
        return { path, language: clip.language };
      });
      return runPeer(peer, files, beam);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureLine(sizes: FilesSizes, line: Line, recognize: Recognize): Promise<Files> {
  const clips = english(sizes.seconds);
  const hear = async (name: string, list: readonly Sound[]): Promise<Recognized[]> => {
    const answers = await recognize(list);
    const heard = list.map(({ clip }, index) => ({
      ...scoreText(clip.text, answers[index]!.text, clip.language),
      seconds: clip.seconds,
      spent: answers[index]!.seconds,
      language: clip.language,
      source: `${clip.kind}, ${clip.group}`,
    }));
    console.log(
      `  ${name}: word error ${pooled(heard).toFixed(4)}, real-time factor ${realTime(heard).toFixed(4)}`,
    );
    return heard;
  };
  if (line === 'telephone') {
    return hear(
      'u-law',
      clips.map((clip) => ({ clip, wav: wavOf(overTelephone(clip.path), 8000) })),
    );
  }
  const others = spokenClips().filter(
    (clip) => OTHER_LANGUAGES.includes(clip.language) && clip.seconds <= 90,
  );
  return {
    wide: await hear('wide', sounds(clips)),
    joined: await hear('joined', [joined(clips, sizes.joinedSeconds)]),
    others: await hear('others', sounds(others)),
  };
}

export const longRecording = (seconds: number): Buffer => joined(english(seconds), seconds).wav;

const english = (seconds: number): Clip[] =>
  thin(
    spokenClips().filter((clip) => clip.language === 'en' && clip.seconds <= 30),
    seconds,
  );

const sounds = (clips: readonly Clip[]): Sound[] =>
  clips.map((clip) => ({ clip, wav: wavOf(readClip(clip.path), 16000) }));

function joined(clips: readonly Clip[], seconds: number): Sound {
  const chosen: Clip[] = [];
  for (let length = 0, at = 0; length < seconds; at += 1) {
    const clip = clips[at % clips.length]!;
    chosen.push(clip);
    length += clip.seconds + 0.5;
  }
  const gap = Buffer.alloc(16000);
  const pcm = Buffer.concat(chosen.flatMap((clip) => [readClip(clip.path), gap]));
  const text = chosen.map((clip) => clip.text).join(' ');
  return { clip: { ...chosen[0]!, text, seconds: pcm.length / 32000 }, wav: wavOf(pcm, 16000) };
}

async function transcribe(service: Service, { clip, wav }: Sound): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(wav)]), 'clip.wav');
  form.append('language', clip.language);
  const began = performance.now();
  const response = await fetch(`${service.url}/v1/audio/transcriptions`, {
    method: 'POST',
    // An idle connection may have closed while the next clips were prepared.
    headers: { authorization: `Bearer ${service.key}`, connection: 'close' },
    body: form,
  });
  const body = (await response.json()) as { text?: string };
  if (body.text === undefined) throw new Error(JSON.stringify(body));
  return { text: body.text, seconds: (performance.now() - began) / 1000 };
}
