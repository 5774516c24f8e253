// @requirement Supervision: Supervisors see the levels of both sides.
import { expect, it } from 'vitest';
import { convertAudio } from '../../../src/media/engine/index.ts';
import { type Levels, Loudness, SILENCE } from '../../../src/telephony/dialling/loudness.ts';

const FRAME_MS = 20;

function frame(height: number): Uint8Array {
  const pcm = Buffer.alloc(FRAME_MS * 16);
  for (let at = 0; at < pcm.length / 2; at++) pcm.writeInt16LE(at % 2 === 0 ? height : -height, at * 2);
  return convertAudio('pcm16', pcm, 'pcmu');
}

it('tells of each side by itself, ten times a second', () => {
  const reported: Levels[] = [];
  let now = 0;
  const loudness = new Loudness({ monotonic: () => now }, (levels) => reported.push(levels));
  for (; now <= 200; now += FRAME_MS) {
    loudness.heard('caller', frame(3277));
    if (now < 100) loudness.heard('agent', frame(328));
  }
  expect(reported).toEqual([
    { caller: -20, agent: -40 },
    { caller: -20, agent: SILENCE },
  ]);
});

it('calls silence by its name', () => {
  const reported: Levels[] = [];
  let now = 0;
  const loudness = new Loudness({ monotonic: () => now }, (levels) => reported.push(levels));
  now = 100;
  loudness.heard('agent', frame(0));
  expect(reported).toEqual([{ caller: SILENCE, agent: SILENCE }]);
});
