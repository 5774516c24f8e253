import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { findFfmpeg } from '../../../src/media/codec/index.ts';

export const SPEECH = join(import.meta.dirname, '../../../../shared/speech');
export const RECORDING = join(SPEECH, 'ljspeech/LJ001-0001.wav');

const program = findFfmpeg(null, new Models());
const missing = [
  ...(existsSync(RECORDING) ? [] : [`the recordings in ${SPEECH}`]),
  ...(program ? [] : ['ffmpeg (npx trunkline models fetch)']),
];

/** It names what is missing, and is empty when the tests can run. CI fails instead. */
export const absent = missing.join(' and ');
if (absent && process.env.CI === 'true') throw new Error(`absent: ${absent}`);
if (absent) console.warn(`the codec tests are skipped, for want of ${absent}`);

export const ffmpeg = program?.path ?? 'ffmpeg';

export function workFolder() {
  const path = mkdtempSync(join(tmpdir(), 'codec-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function make(folder: string, name: string, ...args: string[]): string {
  const path = join(folder, name);
  const done = spawnSync(
    ffmpeg,
    ['-hide_banner', '-loglevel', 'error', '-y', '-i', RECORDING, ...args, path],
    { encoding: 'utf8' },
  );
  if (done.status !== 0) throw new Error(`ffmpeg cannot make ${name}: ${done.stderr}`);
  return path;
}

export function invent(folder: string, name: string, source: string, ...args: string[]): string {
  const path = join(folder, name);
  const done = spawnSync(
    ffmpeg,
    ['-hide_banner', '-loglevel', 'error', '-y', '-f', 'lavfi', '-i', source, ...args, path],
    {
      encoding: 'utf8',
    },
  );
  if (done.status !== 0) throw new Error(`ffmpeg cannot make ${name}: ${done.stderr}`);
  return path;
}

export function opusPackets(ogg: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  const open: Buffer[] = [];
  for (let at = 0; at < ogg.length; ) {
    const count = ogg[at + 26]!;
    let data = at + 27 + count;
    for (const length of ogg.subarray(at + 27, at + 27 + count)) {
      open.push(ogg.subarray(data, data + length));
      data += length;
      if (length < 255) packets.push(Buffer.concat(open.splice(0)));
    }
    at = data;
  }
  return packets.slice(2);
}
