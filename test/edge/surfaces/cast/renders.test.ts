// @requirement Cast: Renders take pronunciations and seeds, and can be cancelled.
// @requirement Cast: A render longer than the plan allows is refused.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tenantScopeOf } from '../../../../src/foundation/access/index.ts';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { VoiceStore } from '../../../../src/speech/voices/index.ts';
import { long, longForm } from '../../../long-tests.ts';
import { pollDelay } from '../../../poll.ts';
import { absent, castEngine, ffmpeg, type Json, openCast } from './server.ts';

const RATE = 24_000;
const HEADER = 44;
/** The fastest voice is enough: audio has tests of its own. */
const line = (speaker: string, text: string, more: object = {}) => ({
  speaker,
  text,
  voice: 'joe_en_us',
  ...more,
});
const lines = [
  line('ANNA', 'Is anybody there?', { chapter: 'One' }),
  line('BEN', 'Only me, I am afraid.'),
  line('ANNA', 'Then come in and close the door behind you.'),
  line('BEN', 'It is cold outside.', { chapter: 'Two' }),
];

const between = (wav: Buffer, fromMs: number, toMs: number): Buffer => {
  const at = (ms: number) => HEADER + Math.round((ms * RATE) / 1000) * 2;
  return wav.subarray(at(fromMs), at(toMs));
};
const levelOf = (pcm: Buffer): number => {
  let sum = 0;
  for (let at = 0; at + 1 < pcm.length; at += 2) sum += (pcm.readInt16LE(at) / 32768) ** 2;
  return 10 * Math.log10(sum / (pcm.length / 2) + 1e-12);
};

interface Reading {
  readonly loudness: number;
  readonly peak: number;
}

function readByFfmpeg(file: string): Reading {
  const args = [
    '-hide_banner',
    '-nostats',
    '-i',
    file,
    '-filter_complex',
    'ebur128=peak=true',
    '-f',
    'null',
    '-',
  ];
  const { stderr } = spawnSync(ffmpeg!, args, { encoding: 'utf8' });
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  return {
    loudness: Number(/I:\s+(-?[\d.]+) LUFS/u.exec(summary)?.[1]),
    peak: Number(/Peak:\s+(-?[\d.]+) dBFS/u.exec(summary)?.[1]),
  };
}

describe.skipIf(absent)('renders', () => {
  const engine = castEngine();

  // @requirement Cast: Renders have -16 LUFS and at most -1 dBTP.
  it('bring every line to one loudness under the ceiling, as ffmpeg reads it too', async () => {
    const cast = await openCast(engine());
    const { id } = await cast.make({
      lines: [...lines, line('BEN', 'Softly now.', { direction: { energy_db: -8 } })],
    });
    const render = await cast.render(id, { format: 'wav' });
    expect(render).toMatchObject({ progress: 1, lines_total: 5, lines_done: 5, audio_available: true });
    expect(Math.abs(render.loudness.integrated_lufs + 16)).toBeLessThanOrEqual(0.1);
    expect(render.loudness.true_peak_dbtp).toBeLessThanOrEqual(-1);
    const wav = await cast.audio(render.id);
    expect(Math.abs(wav.length - HEADER - render.duration_ms * 48)).toBeLessThanOrEqual(48);
    const file = join(cast.opened.folder, 'render.wav');
    writeFileSync(file, wav);
    const read = readByFfmpeg(file);
    expect(Math.abs(read.loudness - render.loudness.integrated_lufs)).toBeLessThanOrEqual(0.1);
    expect(read.peak).toBeLessThanOrEqual(-1);
    const { timeline, chapters } = render;
    expect(timeline.map(({ cached }: Json) => cached)).toEqual([false, false, false, false, false]);
    expect(chapters).toEqual([
      { title: 'One', start_ms: timeline[0].start_ms },
      { title: 'Two', start_ms: timeline[3].start_ms },
    ]);
    const [first, second] = timeline;
    expect(second.start_ms - first.end_ms).toBe(350);
    expect(levelOf(between(wav, first.start_ms, first.end_ms))).toBeGreaterThan(-26);
    const pause = levelOf(between(wav, first.end_ms + 20, second.start_ms - 20));
    expect(pause).toBeGreaterThan(-68);
    expect(pause).toBeLessThan(-64);
    expect(await cast.billed()).toEqual([render.billed_ms]);
  }, 60_000);

  // @requirement Cast: Editing a line renders that line alone; the rest stays identical.
  it('speak an edited line alone, and leave the rest to the bit', async () => {
    const cast = await openCast(engine());
    const more = Array.from({ length: 8 }, (_, at) =>
      line(at % 2 ? 'ANNA' : 'BEN', `This is the line of number ${at + 10}.`),
    );
    const project = await cast.make({ lines: [...lines, ...more] });
    const one = await cast.render(project.id, { format: 'wav' });
    const before = await cast.audio(one.id);
    await cast.ask('PATCH', `/projects/${project.id}/lines/${project.lines[2].id}`, {
      text: 'Come in at once.',
    });
    const other = await cast.render(project.id, { format: 'wav' });
    const after = await cast.audio(other.id);
    expect(other.timeline.map(({ cached }: Json) => cached)).toEqual([
      true,
      true,
      false,
      ...Array.from({ length: 9 }, () => true),
    ]);
    expect(other.loudness.gain_db).toBe(one.loudness.gain_db);
    for (const [at, was] of one.timeline.entries()) {
      const is = other.timeline[at];
      const same = between(after, is.start_ms, is.start_ms + was.end_ms - was.start_ms);
      const old = between(before, was.start_ms, was.end_ms);
      // The timeline is in milliseconds and the audio in samples: a millisecond is 24 samples.
      if (at === 2) expect(same.equals(old)).toBe(false);
      else
        expect(
          alignedEqual(before, after, was.start_ms, is.start_ms, was.end_ms - was.start_ms),
          `line ${at}`,
        ).toBe(true);
    }
    const spoken = other.timeline[2];
    expect(Math.abs(other.billed_ms - (spoken.end_ms - spoken.start_ms))).toBeLessThanOrEqual(1);
    const third = await cast.render(project.id, { format: 'wav' });
    expect(third.billed_ms).toBe(0);
    expect((await cast.audio(third.id)).equals(after)).toBe(true);
  }, 60_000);

  // @requirement Cast: Pauses have room tone, and interruptions fade.
  it('fade out who is interrupted while both are heard, and bring in who interrupts within 20 ms', async () => {
    const OVERLAP = 400;
    const cast = await openCast(engine());
    const first = line('ANNA', 'I have told you twice already that we are closed.');
    const [after, into] = await Promise.all(
      [0, -OVERLAP].map(async (pause_before_ms) => {
        const second = line('BEN', 'No, no, no, listen to me.', { direction: { pause_before_ms } });
        const { id } = await cast.make({ lines: [first, second] });
        const render = await cast.render(id, { format: 'wav', stems: true, room_tone_dbfs: null });
        const stem = (speaker: string) => cast.audio(render.id, `?stem=${speaker}`);
        return { timeline: render.timeline, anna: await stem('ANNA'), ben: await stem('BEN') };
      }),
    );
    const [said, interrupting] = into!.timeline;
    expect(said.end_ms - interrupting.start_ms).toBe(OVERLAP);
    const quieter = (stem: 'anna' | 'ben', from: number, to: number) => {
      const at = stem === 'anna' ? 0 : 1;
      const of = ({ [stem]: wav, timeline }: NonNullable<typeof into>) =>
        levelOf(between(wav, timeline[at].start_ms + from, timeline[at].start_ms + to));
      return of(after!) - of(into!);
    };
    const length = said.end_ms - said.start_ms;
    const base = quieter('anna', 100, length - OVERLAP - 10);
    const [begun, half, later, last] = [0.1, 0.5, 0.7, 0.9].map((share) => {
      const at = length - OVERLAP + share * OVERLAP;
      return quieter('anna', at - 20, at + 20) - base;
    });
    expect(begun).toBeLessThan(1);
    expect(Math.abs(half! - 6)).toBeLessThan(1.5);
    expect(later).toBeGreaterThan(half! + 3);
    expect(last).toBeGreaterThan(later! + 6);
    expect(Math.abs(quieter('ben', 25, 300) - base)).toBeLessThan(0.2);
    expect(quieter('ben', 0, 10)).toBeGreaterThan(base + 3);
  }, 60_000);

  // @requirement Cast: Renders have stems, captions, chapters, several formats and range requests.
  it('give stems, captions and every format, with ranges', async () => {
    const cast = await openCast(engine());
    const { id } = await cast.make({ lines });
    const whole = await cast.render(id, { format: 'wav', stems: true, room_tone_dbfs: null });
    expect(whole.stem_speakers).toEqual(['ANNA', 'BEN']);
    const mix = await cast.audio(whole.id);
    const [anna, ben] = [await cast.audio(whole.id, '?stem=ANNA'), await cast.audio(whole.id, '?stem=BEN')];
    let furthest = 0;
    for (let at = HEADER; at < mix.length; at += 2)
      furthest = Math.max(
        furthest,
        Math.abs(mix.readInt16LE(at) - anna.readInt16LE(at) - ben.readInt16LE(at)),
      );
    expect(furthest).toBeLessThanOrEqual(1);
    expect(await cast.refusal('GET', `/renders/${whole.id}/audio?stem=CARLA`)).toBe('404 not_found stem');
    for (const [format, type, magic] of [
      ['mp3', 'audio/mpeg', /^\xff/u],
      ['flac', 'audio/flac', /^fLaC/u],
      ['opus', 'audio/ogg', /^OggS/u],
    ] as const) {
      const render = await cast.render(id, { format });
      const response = await cast.send('GET', `/renders/${render.id}/audio`);
      expect(response.headers.get('content-type')).toBe(type);
      expect(Buffer.from(await response.arrayBuffer()).toString('latin1')).toMatch(magic);
      expect(render.billed_ms).toBe(0);
    }
    const part = await cast.send('GET', `/renders/${whole.id}/audio`, undefined, { range: 'bytes=10-19' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 10-19/${mix.length}`);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(mix.subarray(10, 20));
    const outside = await cast.send('GET', `/renders/${whole.id}/audio`, undefined, {
      range: `bytes=${mix.length}-`,
    });
    expect(outside.status).toBe(416);
    const captions = await (await cast.send('GET', `/renders/${whole.id}/captions`)).text();
    expect(captions).toMatch(/^WEBVTT\n\n00:00:00\.250 --> [\d:.]+\n<v ANNA>Is anybody there\?\n/u);
    const srt = await (await cast.send('GET', `/renders/${whole.id}/captions?format=srt`)).text();
    expect(srt).toMatch(/^1\n00:00:00,250 --> [\d:,]+\nANNA: Is anybody there\?\n/u);
    expect(srt.match(/ --> /gu)).toHaveLength(4);
  }, 60_000);

  // @requirement Cast: Pace, pitch, energy, pauses and takes change the audio.
  // @requirement Cast: Emphasis comes from marks, directions, rules or a model.
  it.skipIf(!long)(
    longForm(
      'render every control: what is slower is longer, what is softer is softer, a take is another take',
    ),
    async () => {
      const cast = await openCast(engine());
      const text = 'The harbour was empty when we came.';
      const voice = { speaker: 'A', text, voice: 'michael_en_us' };
      const project = await cast.make({
        lines: [
          voice,
          { ...voice, direction: { pace: 0.75 } },
          { ...voice, direction: { energy_db: -9 } },
          { ...voice, direction: { pitch: 1.25 } },
          { ...voice, seed: 5 },
          { ...voice, text: 'The harbour was empty [pause 900ms] when we came.' },
          { ...voice, direction: { pause_before_ms: -400 } },
          { ...voice, text: 'The harbour was *empty* when we came.' },
          { ...voice, direction: { emphasis: ['empty'] } },
        ],
      });
      const render = await cast.render(project.id, { format: 'wav', room_tone_dbfs: null });
      const wav = await cast.audio(render.id);
      const length = (at: number) => render.timeline[at].end_ms - render.timeline[at].start_ms;
      const sound = (at: number) => between(wav, render.timeline[at].start_ms, render.timeline[at].end_ms);
      expect(length(1) / length(0)).toBeGreaterThan(1.2);
      expect(levelOf(sound(2)) - levelOf(sound(0))).toBeLessThan(-6);
      expect(pitchOf(sound(3)) / pitchOf(sound(0))).toBeGreaterThan(1.15);
      expect(sound(4).equals(sound(0))).toBe(false);
      expect(length(5) - length(0)).toBeGreaterThan(600);
      expect(render.timeline[6].start_ms).toBe(render.timeline[5].end_ms - 400);
      expect(length(7) - length(0)).toBeGreaterThan(30);
      expect(length(8)).toBe(length(7));
      const captions = await (await cast.send('GET', `/renders/${render.id}/captions`)).text();
      expect(captions).not.toContain('*');
    },
    180_000,
  );

  it('say words as the dictionary has them', async () => {
    const cast = await openCast(engine());
    const { id } = await cast.make({ lines: [line('A', 'Ask Nguyen about it.')] });
    const plain = await cast.render(id, { format: 'wav' });
    await cast.ask('PATCH', `/projects/${id}`, { pronunciations: [{ word: 'nguyen', say: 'win' }] });
    const said = await cast.render(id, { format: 'wav' });
    expect(said.timeline[0].cached).toBe(false);
    expect(said.timeline[0].end_ms).not.toBe(plain.timeline[0].end_ms);
    const captions = await (await cast.send('GET', `/renders/${said.id}/captions`)).text();
    expect(captions).toContain('Ask Nguyen about it.');

    const { storage, access } = cast.opened;
    const scope = tenantScopeOf(access.principal());
    const shared = [{ word: 'Nguyen', say: 'win' }];
    await new VoiceStore(storage, systemClock).setPronunciations(scope, shared);
    const lines = [line('A', 'Ask Nguyen about it.')];
    const { id: other } = await cast.make({ lines });
    const alike = await cast.render(other, { format: 'wav' });
    expect(alike.timeline[0].end_ms).toBe(said.timeline[0].end_ms);
    const pronunciations = [{ word: 'Nguyen', say: 'Nguyen' }];
    await cast.ask('PATCH', `/projects/${other}`, { pronunciations });
    const own = await cast.render(other, { format: 'wav' });
    expect(own.timeline[0].end_ms, 'the script’s own come first').toBe(plain.timeline[0].end_ms);
  }, 180_000);

  it('stop when they are cancelled, charge nothing, and keep what was spoken', async () => {
    const cast = await openCast(engine());
    const many = Array.from({ length: 40 }, (_, at) =>
      line('A', `This is sentence number ${at} of many, and it goes on for a while.`),
    );
    const { id } = await cast.make({ lines: many });
    const { id: render } = await cast.ask('POST', `/projects/${id}/renders`, { format: 'wav' });
    for (;;) {
      const { lines_done: done } = await cast.ask('GET', `/renders/${render}`);
      if (done >= 2) break;
      await pollDelay();
    }
    const cancelled = await cast.ask('POST', `/renders/${render}/cancel`);
    expect(cancelled).toMatchObject({ status: 'cancelled', audio_available: false });
    expect(cancelled.lines_done).toBeLessThan(40);
    expect(await cast.billed()).toEqual([]);
    expect(await cast.refusal('GET', `/renders/${render}/audio`)).toBe('404 not_found id');
    expect(await cast.ask('POST', `/renders/${render}/cancel`)).toMatchObject({ status: 'cancelled' });
    await cast.ask('PATCH', `/projects/${id}`, { lines: many.slice(0, 2) });
    const next = await cast.render(id, { format: 'wav' });
    expect(next.timeline.map(({ cached }: Json) => cached)).toEqual([true, true]);
    expect(next.billed_ms).toBeGreaterThan(1000);
  }, 180_000);

  it('end with a reason where the plan allows no such length', async () => {
    const cast = await openCast(engine());
    const { access } = cast.opened;
    const principal = access.principal.bind(access);
    access.principal = () => {
      const own = principal();
      return { ...own, limits: { ...own.limits, jobUpload: { bytes: 1, seconds: 6 } } };
    };
    const { id } = await cast.make({ lines });
    const { id: render } = await cast.ask('POST', `/projects/${id}/renders`, {});
    expect(await cast.ended(render)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/your plan allows 0\.1 minutes\. Split/u),
    });
    expect(await cast.billed()).toEqual([]);
  }, 180_000);
});

/** Returns whether both files hold the same samples, within the millisecond that rounding moves each time. */
function alignedEqual(one: Buffer, other: Buffer, fromMs: number, toMs: number, lengthMs: number): boolean {
  const edge = 2;
  const sound = between(one, fromMs + edge, fromMs + lengthMs - edge);
  const around = between(other, toMs, toMs + lengthMs + edge);
  return around.indexOf(sound) >= 0;
}

function pitchOf(pcm: Buffer): number {
  const samples = new Int16Array(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.length));
  let best = { lag: 1, sum: 0 };
  for (let lag = Math.floor(RATE / 300); lag < RATE / 70; lag += 1) {
    let sum = 0;
    for (let at = 0; at + lag < samples.length; at += 3) sum += samples[at]! * samples[at + lag]!;
    if (sum > best.sum) best = { lag, sum };
  }
  return RATE / best.lag;
}
