import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';
import { pythonWith } from '../../python-package.ts';

interface Report {
  readonly time_to_first_audio_ms: number | null;
  readonly violations: readonly string[];
  readonly exit_code: number;
}

const folder = workFolder();
afterAll(folder.remove);
const python = pythonWith('streamdouble', '0.3.0');
const missing = absent !== '' || python.missing !== '';
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

/** Runs a call of the simulator; its exit code is 3 where we break Twilio’s protocol, and 2 where the agent is silent. */
function run(
  agent: string,
  what: readonly string[],
  ...options: string[]
): Promise<Report & { said: string }> {
  const parameters = ['--param', `api_key=${world!.ours.key}`, '--param', `agent_id=${agent}`];
  const url = `${world!.url.replace('http', 'ws')}/v1/telephony/streams/twilio`;
  const given = [...what, url, ...parameters, '--json', ...options];
  return new Promise((resolve, reject) =>
    execFile(
      join(python.folder, 'bin/python'),
      ['-m', 'streamdouble.cli', ...given],
      (_failed, said, errors) => {
        try {
          resolve({ ...(JSON.parse(said) as Report), said });
        } catch {
          reject(new Error(`${said}\n${errors}`));
        }
      },
    ),
  );
}

async function agentThatSays(greeting: string): Promise<string> {
  const answer = await world!.send('/v1/agents', {
    method: 'POST',
    headers: { authorization: `Bearer ${world!.ours.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Front desk', greeting, voice_id: 'hibari_en_us' }),
  });
  expect(answer.status, answer.text).toBe(201);
  return (answer.json as { id: string }).id;
}

const clip = (name: string, seconds: string) =>
  make(folder.path, name, '-t', seconds, '-ac', '1', '-ar', '8000', '-c:a', 'pcm_s16le');

describe.skipIf(missing || world?.ready === false)('streamdouble 0.3.0', { timeout: 120_000 }, () => {
  it('is answered by an agent, without a breach of Twilio’s protocol', async () => {
    const agent = await agentThatSays('Good morning. This is the front desk.');
    const report = await run(agent, ['call'], '--audio', clip('caller.wav', '3'));
    expect(report, report.said).toMatchObject({ exit_code: 0, violations: [] });
    expect(report.time_to_first_audio_ms).toBeGreaterThan(0);
  });

  it('is answered over a line that loses and delays packets', async () => {
    const agent = await agentThatSays('Good morning. This is the front desk.');
    const line = ['--packet-loss', '0.05', '--jitter', '40', '--latency', '120', '--chaos-seed', '7'];
    const report = await run(agent, ['call'], '--audio', clip('bad-line.wav', '3'), ...line);
    expect(report, report.said).toMatchObject({ exit_code: 0, violations: [] });
  });

  it('interrupts the agent, whose sound that is not yet played is cleared', async () => {
    clip('interruption.wav', '4');
    const scenario = join(folder.path, 'barge-in.yaml');
    writeFileSync(
      scenario,
      'name: the caller interrupts\nsteps:\n  - wait_for: audio\n  - wait: 2\n  - say: interruption.wav\n  - expect: clear\n  - wait: 1\n',
    );
    const agent = await agentThatSays('We are open from Monday to Friday. '.repeat(12));
    const report = await run(agent, ['scenario', scenario]);
    expect(report, report.said).toMatchObject({ exit_code: 0, violations: [] });
  });
});
