import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { livekitFolder, livekitMissing } from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';
import { clientsMissing, integrationModules } from '../packages.ts';

interface Recognized {
  readonly text: string;
  readonly kinds: readonly string[];
  readonly languages: readonly string[];
  readonly words: readonly (readonly [string, number, number])[];
  readonly usage: number;
}
interface Report {
  readonly hears: Recognized;
  readonly hears_any: Recognized;
  readonly recognizes: { readonly text: string; language: string; words: number; end: number };
  readonly speaks: { readonly rates: readonly number[]; readonly seconds: number; readonly slow: number };
  readonly refused: object;
  readonly talks: { readonly called: readonly object[]; readonly said: string; readonly provider: string };
}

const SPOKEN = 'printing in the only sense with which we are at present concerned';
const SECONDS = 4.2;
const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

const folder = workFolder();
afterAll(folder.remove);
const missing = absent || clientsMissing || livekitMissing();
const model = missing ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = missing
  ? null
  : await World.open({ settings: { TRUNKLINE_BRAIN_URL: model!.url, TRUNKLINE_BRAIN_MODEL: 'scripted' } });
afterAll(() => world?.stop());

describe.skipIf(missing || world?.ready === false)('livekit-plugins-trunkline', () => {
  let report: Report;
  beforeAll(async () => {
    const modules = await integrationModules('livekit');
    const pcm = make(
      folder.path,
      'said.pcm',
      ...['-t', String(SECONDS), '-ac', '1', '-ar', '16000', '-f', 's16le'],
    );
    const script = join(import.meta.dirname, 'livekit_plugin.py');
    const { stdout } = await promisify(execFile)('python3', [script, world!.url, world!.ours.key, pcm], {
      env: { ...process.env, PYTHONPATH: `${modules}:${livekitFolder}` },
    });
    report = JSON.parse(stdout) as Report;
  }, 400_000);

  it.each(['hears', 'hears_any'] as const)('%s', (name) => {
    const { text, kinds, words, usage } = report[name];
    expect(plain(text)).toContain(SPOKEN);
    expect(kinds).toContain('interim_transcript');
    expect(kinds[0]).toBe('start_of_speech');
    expect(kinds).toContain('end_of_speech');
    for (const [at, [, start, end]] of words.entries()) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(start).toBeGreaterThanOrEqual(words[at - 1]?.[1] ?? 0);
    }
    expect(plain(words.map(([word]) => word).join(' '))).toContain('concerned');
    expect(usage).toBeCloseTo(SECONDS + 0.5, 1);
  });

  it('tells the language that was asked for', () => {
    expect(report.hears.languages).toEqual(['en-US']);
  });

  it('recognizes a recording', () => {
    const { text, language, words, end } = report.recognizes;
    expect(plain(text)).toContain(SPOKEN);
    expect(language).toBe('en');
    expect(words).toBeGreaterThan(8);
    expect(end).toBeCloseTo(SECONDS, 1);
  });

  it('speaks, and as slowly as its options say', () => {
    const { rates, seconds, slow } = report.speaks;
    expect(rates).toEqual([24_000]);
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(8);
    expect(slow).toBeGreaterThan(seconds * 1.15);
  });

  it('raises what the server refused as LiveKit’s errors', () => {
    expect(report.refused).toEqual({ tts: 401, stt: 401, language: [400, 'unsupported_language', true] });
  });

  it('talks and calls a function', () => {
    expect(report.talks.called).toEqual([{ order: '4711' }]);
    expect(report.talks.said).toContain('It ships on Friday');
    expect(report.talks.provider).toBe(new URL(world!.url).host);
  });
});
