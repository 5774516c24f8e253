// @requirement Dub: A killed dub resumes at its segment and is billed once.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { openStorage } from '../../../../src/foundation/storage/index.ts';
import { buildChild, type ChildProgram, runChild } from '../../../child-program.ts';
import { wavOf } from '../../../speech/transcription/signal-audio.ts';
import { absent } from '../speak/server.ts';
import { LINES, script, TRANSLATOR } from './resume-script.ts';
import { stage } from './server.ts';

const KILLED_AFTER = 2;
const later = { ...systemClock, now: () => Date.now() + 60_000 };
let program: ChildProgram;
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  program = await buildChild('test/edge/surfaces/dub/resume-program.ts');
}, 60_000);
afterAll(async () => {
  for (const step of undo.reverse()) await step();
  program?.remove();
});

function soundsIn(folder: string): ReadonlyMap<string, number> {
  const files = readdirSync(join(folder, 'blobs'), { recursive: true, encoding: 'utf8' });
  const sounds = files.filter((file) => /segment-\d+-r1$/u.test(file));
  return new Map(sounds.map((file) => [file, statSync(join(folder, 'blobs', file)).mtimeMs]));
}

it.skipIf(absent !== undefined)(
  'a dub goes on at its segment after kill -9: nothing is heard, translated or billed twice',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dub-resume-'));
    undo.push(() => rmSync(folder, { recursive: true, force: true }));
    const open = async (more: object) => {
      const storage = await openStorage({ dataDir: folder });
      undo.push(() => storage.close());
      const translator = TRANSLATOR();
      const opened = await stage({
        storage,
        folder,
        after: (step) => undo.push(step),
        script,
        translators: [translator],
        ...more,
      });
      return { storage, translator, ...opened };
    };
    const first = await open({ idle: true });
    const fields = { source: 'en', target: 'es', voice: 'alex_es_es', format: 'wav' };
    const { id } = (await first.upload(wavOf(LINES.length), fields)).body;
    expect(await runChild(program, { folder, after: KILLED_AFTER })).toMatchObject({ signal: 'SIGKILL' });
    const before = soundsIn(folder);
    expect(before.size).toBeGreaterThanOrEqual(KILLED_AFTER);
    expect(before.size).toBeLessThan(LINES.length);
    const next = await open({ clock: later });
    expect(await next.ended(id)).toMatchObject({ status: 'done', revision: 1 });
    expect(next.recognizer.asked).toEqual([]);
    expect(next.translator.asked).toEqual([]);
    const after = soundsIn(folder);
    expect(after.size).toBe(LINES.length);
    // A file that was being written when the process died may have been made again; finished files were not.
    const stored = [...before].filter(([file, written]) => after.get(file) === written);
    expect(stored.length).toBeGreaterThanOrEqual(KILLED_AFTER);
    const usage = await next.storage.db
      .selectFrom('usage_events')
      .select(['meter', 'milliseconds'])
      .execute();
    const segments = (await next.send('GET', `/v1/dub/${id}/segments`)).body.data;
    expect(usage).toEqual([
      { meter: 'hear_async', milliseconds: LINES.length * 5000 },
      { meter: 'speak', milliseconds: segments.reduce((so, { spoken }) => so + spoken.duration_ms, 0) },
    ]);
  },
  300_000,
);
