import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { BridgeRecording } from '../../../src/media/recordings/bridge-recording.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'bridge-recording-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEADER_BYTES = 44;
const BYTES_PER_MS = 32;
const SPEECH = new Uint8Array(160).fill(0x10);

/** Returns when each side is first heard from `after` on, in milliseconds of the recording. */
async function heardFrom(path: string, afterMs: number) {
  const pcm = readFileSync(path).subarray(HEADER_BYTES);
  const first = (side: 0 | 1): number => {
    let at = afterMs * BYTES_PER_MS;
    while (at < pcm.length && pcm.readInt16LE(at + 2 * side) === 0) at += 4;
    return at / BYTES_PER_MS;
  };
  return [first(0), first(1)];
}

it('places audio that comes late where it was said, after a pause too', async () => {
  const clock = new ManualClock();
  const path = join(folder, 'late.wav');
  const recording = new BridgeRecording({ path, clock, failed: (error) => expect.fail(String(error)) });
  clock.advance(1_020);
  recording.write('other', SPEECH);
  clock.advance(60);
  recording.write('caller', SPEECH, 60);
  for (let at = 0; at < 10; at += 1) {
    clock.advance(20);
    recording.write('caller', SPEECH, 60);
  }
  clock.advance(720);
  recording.write('other', SPEECH);
  clock.advance(60);
  recording.write('caller', SPEECH, 60);
  await recording.close();
  expect(await heardFrom(path, 0)).toEqual([1_000, 1_000]);
  expect(await heardFrom(path, 1_300)).toEqual([1_980, 1_980]);
});
