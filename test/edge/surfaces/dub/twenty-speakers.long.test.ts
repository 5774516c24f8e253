// @requirement Dub: A dub tells twenty speakers apart.
// @requirement Dub: A model that changes the meaning fails its trial and is not used.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wavHeader } from '../../../../src/media/codec/index.ts';
import { long, longForm } from '../../../long-tests.ts';
import { absent as noRecordings, SPEECH } from '../../../media/codec/recordings.ts';
import { absent } from '../speak/server.ts';
import { hearingStage } from './recognizing-server.ts';

const RATE = 16_000;
const PEOPLE = 20;
const TURNS = 2;
const PAUSE = Buffer.alloc(RATE);

interface Clip {
  readonly path: string;
  readonly speaker: string;
  readonly seconds: number;
}

/** Returns the speakers with the longest second recording. Clips of names and addresses are left out. */
function people(): readonly (readonly Clip[])[] {
  const bySpeaker = new Map<string, Clip[]>();
  for (const line of readFileSync(join(SPEECH, 'manifest.jsonl'), 'utf8').trim().split('\n')) {
    const clip = JSON.parse(line) as Clip;
    if (clip.path.startsWith('an4/an'))
      bySpeaker.set(clip.speaker, [...(bySpeaker.get(clip.speaker) ?? []), clip]);
  }
  return [...bySpeaker.values()]
    .map((own) => own.sort((a, b) => b.seconds - a.seconds).slice(0, TURNS))
    .sort((a, b) => b.at(-1)!.seconds - a.at(-1)!.seconds)
    .slice(0, PEOPLE);
}

interface Turn {
  readonly speaker: string;
  readonly from: number;
  readonly to: number;
}

function dialogue(): { readonly wav: Buffer; readonly turns: readonly Turn[] } {
  const parts = [PAUSE];
  const turns: Turn[] = [];
  let at = PAUSE.length;
  const seconds = () => at / 2 / RATE;
  const all = people();
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const own of all) {
      const { path, speaker } = own[turn]!;
      const pcm = readFileSync(join(SPEECH, path)).subarray(44);
      const from = seconds();
      at += pcm.length;
      turns.push({ speaker, from, to: seconds() });
      parts.push(pcm, PAUSE);
      at += PAUSE.length;
    }
  }
  const pcm = Buffer.concat(parts);
  return {
    wav: Buffer.concat([wavHeader({ sampleRate: RATE, channels: 1, sample: 's16' }, pcm.length), pcm]),
    turns,
  };
}

interface Segment {
  readonly speaker: string;
  readonly start: number;
  readonly end: number;
  readonly spoken: { readonly voice: string };
}

function personIn({ start, end }: Segment, turns: readonly Turn[]): string {
  const shared = ({ from, to }: Turn) => Math.min(to, end) - Math.max(from, start);
  return turns.reduce((best, turn) => (shared(turn) > shared(best) ? turn : best)).speaker;
}

const mostOfOne = (people: readonly string[]): number =>
  Math.max(...people.map((one) => people.filter((other) => other === one).length));

it.skipIf(Boolean(absent ?? noRecordings) || !long)(
  longForm('a dub of twenty real speakers tells most of them apart, and gives each one voice'),
  async () => {
    const { upload, ended, send } = await hearingStage();
    const { wav, turns } = dialogue();
    const { body } = await upload(wav, { source: 'en', target: 'es', format: 'mp3' });
    expect(await ended(body.id)).toMatchObject({ status: 'done', error: null });
    const { data } = (await send('GET', `/v1/dub/${body.id}/segments`)).body as unknown as {
      data: readonly Segment[];
    };
    const heard = data.map((segment) => ({ ...segment, person: personIn(segment, turns) }));
    expect(new Set(heard.map(({ person }) => person)).size).toBe(PEOPLE);
    const bySpeaker = [...new Set(heard.map(({ speaker }) => speaker))].map((name) =>
      heard.filter(({ speaker }) => speaker === name),
    );
    for (const own of bySpeaker) expect(new Set(own.map(({ spoken }) => spoken.voice)).size).toBe(1);
    const right = bySpeaker.map((own) => mostOfOne(own.map(({ person }) => person)));
    const share = right.reduce((sum, one) => sum + one, 0) / heard.length;
    // The test measured 20 names, and every one of 40 sentences.
    expect(share).toBeGreaterThanOrEqual(0.9);
    expect(bySpeaker.length).toBeGreaterThanOrEqual(18);
    expect(bySpeaker.length).toBeLessThanOrEqual(PEOPLE);
  },
  900_000,
);
