import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { pipecatFolder, pipecatMissing } from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';
import { clientsMissing, integrationModules } from '../packages.ts';

interface Report {
  readonly hears: {
    readonly text: string;
    readonly interims: number;
    readonly languages: readonly string[];
    readonly finalized: boolean;
    readonly reason: string;
    readonly errors: readonly string[];
  };
  readonly speaks: Readonly<
    Record<string, { rates: number[]; pieces: number; seconds: number; errors: string[] }>
  >;
  readonly refused: readonly string[];
}

const folder = workFolder();
afterAll(folder.remove);
const missing = absent || clientsMissing || pipecatMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

describe.skipIf(missing || world?.ready === false)('pipecat-trunkline', () => {
  let report: Report;
  beforeAll(async () => {
    const modules = await integrationModules('pipecat');
    const pcm = make(folder.path, 'said.pcm', '-t', '4.2', '-ac', '1', '-ar', '16000', '-f', 's16le');
    const script = join(import.meta.dirname, 'pipecat_services.py');
    const { stdout } = await promisify(execFile)('python3', [script, world!.url, world!.ours.key, pcm], {
      env: { ...process.env, PYTHONPATH: `${modules}:${pipecatFolder}` },
    });
    report = JSON.parse(stdout) as Report;
  }, 400_000);

  it('hears, with interim words, and commits when the pipeline hears the end', () => {
    const { text, interims, languages, finalized, reason, errors } = report.hears;
    expect(errors).toEqual([]);
    expect(text.toLowerCase().replace(/[^a-z ]/g, '')).toContain(
      'printing in the only sense with which we are at present concerned',
    );
    expect(interims).toBeGreaterThan(0);
    expect({ languages, finalized, reason }).toEqual({
      languages: ['en'],
      finalized: true,
      reason: 'commit',
    });
  });

  it.each(['24000', '16000', '44100'])('speaks at %s Hz in pieces', (rate) => {
    const { rates, pieces, seconds, errors } = report.speaks[rate]!;
    expect(errors).toEqual([]);
    expect(rates).toEqual([Number(rate)]);
    expect(pieces).toBeGreaterThan(1);
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(8);
  });

  it('speaks as fast as the settings say', () => {
    expect(report.speaks['16000']!.seconds).toBeLessThan(report.speaks['24000']!.seconds * 0.95);
  });

  it('pushes an error for a key that the server does not know', () => {
    expect(report.refused).toHaveLength(2);
    for (const error of report.refused) expect(error).toContain('401');
  });
});
