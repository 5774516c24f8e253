/**
 * The event table of a call is in native/lanes/omni/lane.h: its numbers and layouts are those that the engine writes
 * (native/test/lanes/omni/event_writer_test.cc compares with the same vectors) and that this side reads.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { omniLane } from '../../../src/media/engine/kinds/omni.ts';
import { EngineEventType } from '../../../src/media/engine/packed-records.ts';

const header = readFileSync('native/lanes/omni/lane.h', 'utf8');

const rows = new Map(
  [...header.matchAll(/^\/\/ {3}(kOmni\w+|segments) {2,}(.*)$/gm)].map(([, name, layout]) => [
    name!,
    layout!,
  ]),
);
const layoutOf = (name: string): string => {
  const other = /^as (kOmni\w+)/.exec(rows.get(name)!)?.[1];
  return other === undefined ? rows.get(name)! : layoutOf(other);
};
const events = [.../enum OmniEvent[^{]*\{([^}]*)\}/.exec(header)![1]!.matchAll(/kOmni\w+/g)].map(
  ([name]) => name,
);

const TEXT = 'Grüße, caller';
const SEGMENTS = [
  { number: 5, complete: 1, played: 250, total: 250 },
  { number: 6, complete: 0, played: 125, total: 500 },
];
const VALUES: Record<string, number> = {
  utterance: 7,
  speech: 3,
  segment: 5,
  reason: 1,
  down: 1,
  began: 1,
  playing: 1,
  key: 53,
  zero: 0,
  words: 4,
  language: 1,
  odds: 0.75,
  spoken: 800.5,
  count: SEGMENTS.length,
  at: 1000.5,
  start: 100.25,
  end: 900.75,
  asr: 42.125,
  played: 375,
  wanted: 2000.5,
};

function bytesOf(layout: string, values = VALUES): Buffer {
  return Buffer.concat(
    layout
      .replace(/\([^)]*\)|;.*$/g, '')
      .split(',')
      .map((field) => {
        const [type, name = ''] = field.trim().split(' ');
        if (type === 'text') return Buffer.from(TEXT);
        if (type === 'segments') {
          const each = rows.get('segments')!.replace(/^each /, '');
          return Buffer.concat(SEGMENTS.map((segment) => bytesOf(each, segment)));
        }
        expect(values, `${layout}: ${name}`).toHaveProperty(name);
        const bytes = Buffer.alloc(type === 'u32' ? 4 : 8);
        if (type === 'u32') bytes.writeUInt32LE(values[name]!);
        else if (type === 'f64') bytes.writeDoubleLE(values[name]!);
        else throw new Error(`'${field}' of '${layout}': expected u32, f64, text or segments`);
        return bytes;
      }),
  );
}

const UTTERANCE = {
  utterance: 7,
  startMs: 100.25,
  endMs: 900.75,
  atMs: 1000.5,
  asrMs: 42.125,
  identified: { language: 'es', odds: 0.75, spokenMs: 800.5 },
  text: TEXT,
};
const DESCRIBED = [
  { segment: 5, complete: true, playedMs: 250, totalMs: 250 },
  { segment: 6, complete: false, playedMs: 125, totalMs: 500 },
];
const READ: Record<string, object> = {
  kOmniSpeechStart: { kind: 'speech_start', atMs: 1000.5 },
  kOmniPartial: { kind: 'partial', utterance: 7, text: TEXT },
  kOmniEager: { kind: 'eager_end', ...UTTERANCE },
  kOmniContinued: { kind: 'continued', utterance: 7 },
  kOmniFinal: { kind: 'final', ...UTTERANCE },
  kOmniBackchannel: { kind: 'backchannel', ...UTTERANCE },
  kOmniPlaying: { kind: 'playing', speech: 3, segment: 5, atMs: 1000.5 },
  kOmniPlayed: { kind: 'speech_played', speech: 3, segments: DESCRIBED },
  kOmniInterrupted: {
    kind: 'speech_interrupted',
    speech: 3,
    reason: 'command',
    playedMs: 375,
    segments: DESCRIBED,
  },
  kOmniSpeechFailed: { kind: 'speech_failed', speech: 3, message: TEXT },
  kOmniDuck: { kind: 'duck', down: true, atMs: 1000.5 },
  kOmniLost: { kind: 'lost', utterance: 7, message: TEXT },
  kOmniRecording: { kind: 'recording', began: true, atMs: 1000.5, message: TEXT },
  kOmniMusic: { kind: 'music', playing: true, atMs: 1000.5 },
  kOmniFeed: { kind: 'feed', speech: 3, segment: 5, wantedMs: 2000.5 },
  kOmniLeftOut: { kind: 'left_out', utterance: 7, words: 4, startMs: 100.25, endMs: 900.75 },
  kOmniKey: { kind: 'key', key: '5', atMs: 1000.5 },
};

it('has a row of the table for each event of a call, and no other', () => {
  const verbs = [.../enum OmniVerb[^{]*\{([^}]*)\}/.exec(header)![1]!.matchAll(/kOmni\w+/g)].map(
    ([name]) => name,
  );
  expect([...rows.keys()].sort()).toEqual([...verbs, ...events, 'segments'].sort());
  expect([...events].sort()).toEqual(Object.keys(READ).sort());
});

it.each(events.map((name, at) => [name, at] as const))('reads %s as the table lays it out', (name, at) => {
  expect(omniLane.decode(EngineEventType.firstOfKind + at, 0, bytesOf(layoutOf(name)))).toEqual(READ[name]);
});

it('has for the engine the bytes that the table tells', () => {
  const vectors = events.map(
    (name, at) => `${name} ${EngineEventType.firstOfKind + at} ${bytesOf(layoutOf(name)).toString('hex')}\n`,
  );
  expect(vectors.join('')).toBe(readFileSync('native/test/vectors/omni/events.txt', 'utf8'));
});
