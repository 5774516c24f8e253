// @requirement Cast: A killed render resumes at its line and is billed once.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { buildChild, type ChildProgram, runChild } from '../../../child-program.ts';
import { newFolder } from './node.ts';
import { absent, castEngine, type Json, openCast } from './server.ts';

const engine = castEngine();
let program: ChildProgram;
beforeAll(async () => {
  program = await buildChild('test/edge/surfaces/cast/resume-program.ts');
}, 60_000);
afterAll(() => program?.remove());

const LINES = 12;
const KILLED_AFTER = 4;
const later = { ...systemClock, now: () => Date.now() + 60_000 };

function soundsIn(folder: string): ReadonlyMap<string, number> {
  const files = readdirSync(join(folder, 'blobs'), { recursive: true, encoding: 'utf8' });
  const takes = files.filter((file) => file.includes('take-'));
  return new Map(takes.map((file) => [file, statSync(join(folder, 'blobs', file)).mtimeMs]));
}

it.skipIf(absent)(
  'a render goes on at its line after kill -9, and is charged once',
  async () => {
    const folder = newFolder();
    const idle = await openCast(engine(), { folder, idle: true });
    const lines = Array.from({ length: LINES }, (_, at) => ({
      text: `This is sentence number ${at} of this long script.`,
      voice: 'joe_en_us',
    }));
    const { id } = await idle.make({ lines });
    const { id: render } = await idle.ask('POST', `/projects/${id}/renders`, { format: 'wav' });
    expect(await runChild(program, { folder, after: KILLED_AFTER })).toMatchObject({ signal: 'SIGKILL' });
    const before = soundsIn(folder);
    expect(before.size).toBeGreaterThanOrEqual(KILLED_AFTER);
    expect(before.size).toBeLessThan(LINES);
    expect(await idle.ask('GET', `/renders/${render}`)).toMatchObject({ status: 'rendering' });
    const next = await openCast(engine(), { folder, clock: later });
    const done = await next.ended(render);
    expect(done).toMatchObject({ status: 'completed', lines_done: LINES });
    expect(done.timeline.every(({ cached }: Json) => !cached)).toBe(true);
    const after = soundsIn(folder);
    expect(after.size).toBe(LINES);
    // A file that was being written when the process died may have been made again; finished files were not.
    const stored = [...before].filter(([file, written]) => after.get(file) === written);
    expect(stored.length).toBeGreaterThanOrEqual(KILLED_AFTER);
    expect(await next.billed()).toEqual([done.billed_ms]);
  },
  120_000,
);
