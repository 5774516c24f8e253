import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';
import { pythonWith } from '../../python-package.ts';

interface Report {
  readonly summary: Readonly<Record<string, unknown>>;
  readonly assertions: readonly { readonly key: string; readonly passed: boolean }[];
}

const folder = workFolder();
afterAll(folder.remove);
const python = pythonWith('voicebench', '0.2.0');
const missing = absent !== '' || python.missing !== '';
const model = missing ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = missing
  ? null
  : await World.open({ settings: { TRUNKLINE_BRAIN_URL: model!.url, TRUNKLINE_BRAIN_MODEL: 'scripted' } });
afterAll(() => world?.stop());

const said = (name: string, seconds: string) =>
  make(folder.path, name, '-t', seconds, '-ac', '1', '-ar', '24000', '-c:a', 'pcm_s16le');

/** VoiceBench judges by the audio of both alone. Its exit code is 1 where an assertion fails. */
async function run(scenario: object): Promise<Report> {
  const file = join(folder.path, 'scenario.yaml');
  writeFileSync(file, stringify(scenario));
  const args = ['-m', 'voicebench', 'run', file, '--out', folder.path, '--format', 'json'];
  const env = { ...process.env, PYTHONPATH: import.meta.dirname };
  const printed = await new Promise<string>((resolve) =>
    execFile(join(python.folder, 'bin/python'), args, { env }, (_failed, out, errors) =>
      resolve(`${out}\n${errors}`),
    ),
  );
  try {
    return JSON.parse(readFileSync(join(folder.path, 'report.json'), 'utf8')) as Report;
  } catch {
    throw new Error(printed);
  }
}

describe.skipIf(missing || world?.ready === false)('VoiceBench 0.2.0', { timeout: 180_000 }, () => {
  it('is answered, and interrupts', async () => {
    const url = `${world!.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`;
    const transcription = { model: 'whisper-1', language: 'en' };
    const text = 'Printing, in the only sense with which we are at present concerned';
    const report = await run({
      name: 'conversation',
      sample_rate: 24_000,
      adapter: {
        type: 'realtime_adapter:RealtimeAdapter',
        options: {
          url,
          headers: { Authorization: `Bearer ${world!.ours.key}` },
          start_message: {
            type: 'session.update',
            session: { type: 'realtime', audio: { input: { transcription } } },
          },
        },
      },
      defaults: { response_timeout_ms: 20_000, max_stop_ms: 4000 },
      turns: [
        { id: 'question', audio: { file: said('question.wav', '4.2') }, text },
        {
          id: 'interruption',
          audio: { file: said('interruption.wav', '4.2') },
          start: { after: 'agent_speech_start', delay_ms: 700 },
          expect: 'stop',
        },
      ],
      assert: {
        max_missed_responses: 0,
        min_barge_in_success_rate: 1,
        max_wer: 0.2,
      },
    });
    expect(
      report.assertions.filter(({ passed }) => !passed),
      JSON.stringify(report.summary),
    ).toEqual([]);
    expect(report.assertions).toHaveLength(3);
  });
});
