/** The recording has both channels by the clock, and is erased with its call. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openBlobs, openStorage, withinTenant } from '../../../src/foundation/storage/index.ts';
import { convertAudio } from '../../../src/media/engine/index.ts';
import { silence, tone } from '../../../src/telephony/carriers/index.ts';
import type { CallSideListener } from '../../../src/telephony/dialling/call-media.ts';
import type { CallMedia, PhoneCall } from '../../../src/telephony/dialling/index.ts';
import { VoicemailDrops } from '../../../src/telephony/dialling/index.ts';
import { dropKey } from '../../../src/telephony/dialling/voicemail-drops.ts';
import { TELEPHONY_SEEDS } from '../../contract/telephony-seeds.ts';
import { scopeFor } from '../../foundation/access/tenant-scopes.ts';
import { ManualClock } from '../../foundation/platform/manual-clock.ts';

const SCOPE = scopeFor('org_a');
const BYTES_A_MS = 8;

async function open() {
  const clock = new ManualClock();
  const dataDir = mkdtempSync(join(tmpdir(), 'drops-'));
  const storage = await openStorage({ dataDir, clock });
  const blobs = await openBlobs({ folder: join(dataDir, 'blobs') });
  const errors: unknown[] = [];
  const drops = new VoicemailDrops({
    storage,
    blobs,
    clock,
    wavOf: (pcm) => pcm,
    onError: (error) => errors.push(error),
  });
  const row = { ...TELEPHONY_SEEDS.telephony_calls('x', clock.now()), state: 'answered' as const };
  await withinTenant(storage.db, SCOPE).insertInto('telephony_calls', row).execute();
  const listeners = new Set<CallSideListener>();
  const media = {
    overhear: (listener: CallSideListener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as CallMedia;
  const over: (() => void)[] = [];
  const call = { id: row.id, scope: SCOPE, whenOver: (task: () => void) => over.push(task) };
  const heard = (frames: Uint8Array) => {
    for (const listener of listeners) listener('caller', frames);
  };
  const ended = async () => {
    for (const task of over.splice(0)) task();
    await drops.stop();
  };
  const bytes = async () =>
    (
      await withinTenant(storage.db, SCOPE)
        .selectFrom('telephony_calls')
        .select('recording_bytes')
        .where('id', '=', row.id)
        .executeTakeFirst()
    )?.recording_bytes;
  return {
    clock,
    storage,
    blobs,
    errors,
    drops,
    row,
    media,
    listeners,
    call: call as never as PhoneCall,
    heard,
    ended,
    bytes,
  };
}

function side(pcm: Buffer, at: 0 | 1): Uint8Array {
  const mono = Buffer.alloc(pcm.length / 2);
  for (let i = 0; i < mono.length; i += 2) mono.writeInt16LE(pcm.readInt16LE(i * 2 + at * 2), i);
  return convertAudio('pcm16', mono, 'pcmu');
}

it('has what the other side said where it was said, and the message as far as it was played', async () => {
  const { clock, blobs, drops, row, media, listeners, call, heard, ended, bytes } = await open();
  const message = tone([440], 400);
  const beep = tone([1000], 20);
  drops.record(call, media, message);
  for (let at = 0; at < 100; at += 20) {
    clock.advance(20);
    heard(silence(20));
  }
  clock.advance(180);
  heard(beep);
  clock.advance(20);
  expect(await bytes()).toBeNull();
  await ended();
  const body = await blobs.get(dropKey(row.id));
  const pcm = await buffer(body!.stream);
  expect(Number(await bytes())).toBe(pcm.length);
  expect(pcm.length).toBe(300 * BYTES_A_MS * 4);
  expect(Uint8Array.from(side(pcm, 1))).toEqual(Uint8Array.from(message.subarray(0, 300 * BYTES_A_MS)));
  const left = Uint8Array.from(side(pcm, 0));
  // The position follows the clock, less the leg's possible delay, and not the end of the received audio.
  const at = (280 - 20 - 120) * BYTES_A_MS;
  expect(left.slice(at, at + beep.length)).toEqual(Uint8Array.from(beep));
  expect(left.slice(0, at).every((sample) => (sample & 0x7f) > 0x70)).toBe(true);
  expect(listeners.size).toBe(0);
});

it('keeps nothing of a call that was erased meanwhile', async () => {
  const { clock, storage, blobs, errors, drops, row, media, call, ended } = await open();
  drops.record(call, media, tone([440], 400));
  clock.advance(100);
  await withinTenant(storage.db, SCOPE).deleteFrom('telephony_calls').where('id', '=', row.id).execute();
  await ended();
  expect([await blobs.get(dropKey(row.id)), errors]).toEqual([null, []]);
});

it('stays where a legal hold says so, and goes with the sound alone', async () => {
  const { clock, storage, blobs, drops, row, media, call, ended, bytes } = await open();
  drops.record(call, media, tone([440], 400));
  clock.advance(100);
  await ended();
  await withinTenant(storage.db, SCOPE)
    .insertInto('legal_holds', { record: row.id, reason: 'a case', placed_at: 0 })
    .execute();
  await expect(drops.remove(SCOPE, row.id)).rejects.toMatchObject({ code: 'legal_hold' });
  expect(await bytes()).not.toBeNull();
  await withinTenant(storage.db, SCOPE).deleteFrom('legal_holds').execute();
  await drops.remove(SCOPE, row.id);
  expect([await bytes(), await blobs.get(dropKey(row.id))]).toEqual([null, null]);
});
