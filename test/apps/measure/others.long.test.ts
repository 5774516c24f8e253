// @requirement Measuring: The latency harness calls servers of Twilio Media Streams.
/**
 * The harness measures servers of Media Streams that were not written for it: Pipecat, with its own turn and
 * interruption detection, and this product's own. Both take minutes, and the first half a gigabyte, so they run in
 * the long form.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TwilioTransport } from '../../../src/apps/caller/index.ts';
import { measure, readMeasurement } from '../../../src/apps/measure/index.ts';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { long, longForm } from '../../long-tests.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';
import { pythonWith } from '../../python-package.ts';
import { compileProgram, dataFolder, Running } from '../../running-server.ts';

const HEAD_BYTES = 44;
const ROUNDS = 2;

function spoken(folder: string, seconds: number): Int16Array {
  const wav = readFileSync(
    make(folder, `${seconds}.wav`, '-t', String(seconds), '-ar', '8000', '-ac', '1', '-bitexact'),
  );
  return new Int16Array(Uint8Array.from(wav.subarray(HEAD_BYTES)).buffer);
}

async function pipecat(): Promise<string> {
  const { folder } = pythonWith('pipecat-ai', '1.14.0');
  const program = join(import.meta.dirname, 'pipecat_agent.py');
  const child = spawn(join(folder, 'bin/python'), ['-W', 'ignore', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready (ws:\S+)/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('Pipecat ended before it listened');
}

describe.skipIf(!long || absent)(longForm('Media Streams of others'), () => {
  it('are measured at an agent of Pipecat', async () => {
    const url = await pipecat();
    const work = workFolder();
    onTestFinished(work.remove);
    const question = spoken(work.path, 3);
    const sounds = { questions: [question], interruptions: [question], listening: [spoken(work.path, 0.3)] };
    const { firstWordMs, gapsMs, cutMs } = await measure(() => new TwilioTransport({ url }), sounds, ROUNDS);
    expect(firstWordMs).toBeNull();
    expect(gapsMs).toHaveLength(ROUNDS);
    for (const gap of gapsMs) {
      expect(gap).toBeGreaterThan(100);
      expect(gap).toBeLessThan(4000);
    }
    expect(cutMs).toHaveLength(ROUNDS);
    for (const cut of cutMs) expect(cut).toBeGreaterThan(0);
  }, 900_000);

  it('are measured at this product’s own, by the program', async () => {
    await compileProgram();
    const model = await ScriptedEndpoint.start(ORDERS);
    onTestFinished(() => model.close());
    const settings = {
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
      TRUNKLINE_BRAIN_URL: model.url,
      TRUNKLINE_BRAIN_MODEL: 'scripted',
    };
    const world = await World.open({ settings });
    onTestFinished(() => world.stop());
    const headers = { authorization: `Bearer ${world.ours.key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Measured', greeting: 'Good morning.' });
    const { json } = await world.send('/v1/agents', { method: 'POST', headers, body });
    const file = join(dataFolder(), 'measured.json');
    const key = ['--key', world.ours.key, '--voice-url', world.url, '--voice-key', world.ours.key];
    const place = `${world.url}/v1/telephony/streams/twilio`;
    const options = ['--protocol', 'twilio', '--agent', String(json?.id), '--calls', '1', '--rounds', '1'];
    const run = new Running(['measure', place, ...options, ...key, '--save', file]);
    expect(await run.code(), run.errors).toBe(0);
    const found = readMeasurement(readFileSync(file, 'utf8'), file);
    expect(found).toMatchObject({ protocol: 'twilio', calls: 1, first_word_ms: [expect.any(Number)] });
    expect(found.gap_ms.length).toBeGreaterThan(0);
    expect(Math.min(...found.gap_ms, ...found.first_word_ms)).toBeGreaterThan(0);
    expect(run.lines.some((line) => line.startsWith('gap, p50'))).toBe(true);
  }, 600_000);
});
