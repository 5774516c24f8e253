// @requirement Operations: The operator reads what `doctor` says over a route, and the licence of each model.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DoctorReports } from '../../src/main/doctor-report.ts';
import { ManualClock } from '../foundation/platform/manual-clock.ts';

const FINDINGS = [{ name: 'node', works: true, required: true, detail: 'v20' }];

/** Its program writes down each run, then does what `then` says. */
function reports(then: string) {
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  const [program, runs] = [join(folder, 'program.mjs'), join(folder, 'runs')];
  writeFileSync(runs, '');
  writeFileSync(
    program,
    `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(runs)}, process.argv.slice(2).join(' ') + ' ' + process.env.TRUNKLINE_DATA + '\\n');
${then}`,
  );
  const clock = new ManualClock();
  const config = { data: folder, port: 4100, models: folder };
  const made = new DoctorReports({ config, clock, environment: process.env, program });
  const ran = () => readFileSync(runs, 'utf8').split('\n').slice(0, -1);
  return { clock, folder, made, ran };
}

const PRINTS = `console.log(${JSON.stringify(JSON.stringify(FINDINGS))});`;

describe('what doctor says', () => {
  it('is read from one run by all who ask, and again after a minute', async () => {
    const { made, ran, clock, folder } = reports(`${PRINTS} process.exitCode = 1;`);
    const [first, second] = await Promise.all([made.report(), made.report()]);
    expect(first.findings).toEqual(FINDINGS);
    expect(second).toBe(first);
    clock.advance(59_000);
    expect(await made.report()).toBe(first);
    expect(ran()).toEqual([`doctor --json ${folder}`]);
    clock.advance(2_000);
    expect((await made.report()).findings).toEqual(FINDINGS);
    expect(ran()).toHaveLength(2);
  });

  it('is an error where the checks print no report, and the next request tries again', async () => {
    const { made, ran } = reports("console.log('oops');");
    await expect(made.report()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(made.report()).rejects.toMatchObject({ code: 'unavailable' });
    expect(ran()).toHaveLength(2);
  });

  it('is an error where the checks do not end in time: they are ended', async () => {
    const { made, clock } = reports('setInterval(() => undefined, 1000);');
    const report = made.report();
    clock.advance(120_001);
    await expect(report).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The checks did not end within 120 s: run npx trunkline doctor.',
    });
  });

  it('is ended when the server stops', async () => {
    const { made, clock } = reports('setInterval(() => undefined, 1000);');
    const report = made.report();
    made.stop();
    await expect(report).rejects.toMatchObject({ code: 'unavailable', message: 'This server is stopping.' });
    expect(clock.timers).toBe(0);
    await expect(made.report()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
