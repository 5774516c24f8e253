// @requirement Provenance: Casts carry the watermark through mastering and MP3.
// @requirement Provenance: The watermark can be turned off by an operator alone, and the audit log records it.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { WATERMARK_RATE } from '../../../../src/media/engine/index.ts';
import { readProvenance } from '../../../../src/products/provenance/index.ts';
import { absent, castEngine, ffmpeg, openCast } from './server.ts';

const engine = castEngine();

function asRead(file: Buffer): Buffer {
  const flags = [
    '-loglevel',
    'error',
    '-i',
    'pipe:0',
    '-ar',
    String(WATERMARK_RATE),
    '-ac',
    '1',
    '-f',
    's16le',
  ];
  return spawnSync(ffmpeg!, [...flags, 'pipe:1'], { input: file, maxBuffer: 1e8 }).stdout;
}

const lines = [
  {
    speaker: 'ANNA',
    text: 'Thank you for calling the town library. We are open from nine to six on weekdays.',
  },
  {
    speaker: 'BEN',
    text: 'And from ten to two on Saturdays, when the café is open too.',
    direction: { pace: 1.1 },
  },
  {
    speaker: 'ANNA',
    text: 'Please tell me the number on your card.',
    direction: { pitch: 1.05, energy_db: -4 },
  },
].map((line) => ({ ...line, voice: 'joe_en_us' }));

it.skipIf(absent)(
  'a cast carries the mark of its organization through direction, mastering and MP3',
  async () => {
    const cast = await openCast(engine(), { secret: 'a deployment' });
    const { marks, access } = cast.opened;
    const { id } = await cast.make({ lines });
    const render = await cast.render(id, { format: 'mp3' });
    const pcm = asRead(await cast.audio(render.id));
    const look = (code: string) => readProvenance(engine(), pcm, code);
    const { orgId } = access.principal();
    await cast.opened.storage.db
      .insertInto('organizations')
      .values({
        id: orgId,
        name: 'A library',
        kind: 'account',
        plan: 'standard',
        trace_entitled: 0,
        referral: null,
        created_at: 0,
      })
      .execute();
    expect(await look(marks!.codeOf(orgId))).toMatchObject({ marked: true, ours: true });
    expect(await look(marks!.codeOf('org_other'))).toMatchObject({ marked: true, ours: false });
    await marks!.change(
      orgId,
      { marks: false },
      { kind: 'user', id: 'usr_1', from: '127.0.0.1', requestId: 'r' },
    );
    const plain = await cast.render(id, { format: 'mp3' });
    expect(plain.timeline.every(({ cached }: { cached: boolean }) => !cached)).toBe(true);
    expect(
      await readProvenance(engine(), asRead(await cast.audio(plain.id)), marks!.codeOf(orgId)),
    ).toMatchObject({
      marked: false,
    });
  },
  120_000,
);

const short = [
  'Are you there?',
  'I am here.',
  'Please come in.',
  'Thank you.',
  'It is cold.',
  'Close the door.',
  'Like this?',
  'Just like that.',
].map((text, at) => ({ speaker: at % 2 === 0 ? 'ANNA' : 'BEN', text, voice: 'joe_en_us' }));

it.skipIf(absent)(
  'a cast of eight lines of less than a second shows the mark, each line beginning it anew, and no mark of another deployment',
  async () => {
    const cast = await openCast(engine(), { secret: 'a deployment' });
    const { marks, access } = cast.opened;
    const { id } = await cast.make({ lines: short });
    const render = await cast.render(id, { format: 'mp3' });
    const lengths = render.timeline.map(
      (placed: Record<string, number>) => placed.end_ms! - placed.start_ms!,
    );
    expect(Math.max(...lengths)).toBeLessThan(1000);
    const pcm = asRead(await cast.audio(render.id));
    const look = (code: string) => readProvenance(engine(), pcm, code);
    const { orgId } = access.principal();
    const code = marks!.codeOf(orgId);
    expect(await look(code)).toMatchObject({ marked: true, ours: true });
    expect(await look(marks!.codeOf('org_other'))).toMatchObject({ ours: false });
    expect(await look(code.split('').reverse().join(''))).toMatchObject({ marked: false });
  },
  120_000,
);
