import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CASES } from '../../contract/cases/index.ts';
import { World } from '../../contract/world.ts';
import { absent, RECORDING } from '../../media/codec/recordings.ts';
import { clientsMissing, integrationProject } from '../packages.ts';

/** The newest of its engine that runs on Node 20. */
const N8N = ['n8n-core@1.122.48', 'n8n-workflow@1.120.31'];
const SPOKEN = 'printing in the only sense with which we are at present concerned differs from most';

interface Done {
  readonly json?: Record<string, unknown>;
  readonly binary?: { readonly type: string; readonly name: string; readonly bytes: number };
  readonly error?: { readonly message: string; readonly description: string; readonly code: string };
}

const missing = absent || clientsMissing;
const world = missing ? null : await World.open();
afterAll(() => world?.stop());
const home = mkdtempSync(join(tmpdir(), 'n8n-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe.skipIf(missing || world?.ready === false)('n8n-nodes-trunkline', { timeout: 120_000 }, () => {
  let project: string;
  beforeAll(async () => {
    project = await integrationProject('n8n', N8N);
  }, 600_000);

  async function run(...requests: readonly object[]): Promise<readonly Done[]> {
    const script = join(import.meta.dirname, 'n8n_workflow.cjs');
    const args = [script, project, world!.url, world!.ours.key, JSON.stringify(requests)];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, N8N_USER_FOLDER: home, N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true' },
    });
    return JSON.parse(stdout.slice(stdout.indexOf('[{'))) as Done[];
  }

  it('transcribes, and tells who speaks', async () => {
    const transcribe = { operation: 'transcribe', binaryProperty: 'data', language: 'en' };
    const [plain, diarized] = await run(
      { parameters: { ...transcribe, speakers: false }, file: RECORDING },
      { parameters: { ...transcribe, speakers: true }, file: RECORDING },
    );
    expect(
      String(plain?.json?.text)
        .toLowerCase()
        .replace(/[^a-z ]/g, ''),
    ).toContain(SPOKEN);
    expect(plain?.json?.duration).toBeCloseTo(9.655, 1);
    expect(diarized?.json).toMatchObject({
      segments: expect.arrayContaining([expect.objectContaining({ speaker: 'A' })]),
    });
  });

  it('speaks into a binary field', async () => {
    const speak = { operation: 'speak', text: 'Hello from n8n.', outputProperty: 'data' };
    const [mp3, wav] = await run(
      { parameters: { ...speak, voice: 'en1', format: 'mp3' } },
      { parameters: { ...speak, voice: '', format: 'wav' } },
    );
    expect(mp3?.binary).toEqual({ type: 'audio/mpeg', name: 'speech.mp3', bytes: expect.any(Number) });
    expect(mp3?.binary?.bytes).toBeGreaterThan(3000);
    expect(wav?.binary?.bytes).toBeGreaterThan(40_000);
    expect(mp3?.json?.voice).toEqual(expect.any(String));
  });

  it('calls a number, and gets the record of the call', async () => {
    const { json } = await CASES['POST /v1/telephony/calls']!.good(world!, world!.ours);
    const { to, from, agent_id: agentId } = json as Record<string, string>;
    const variables = '{"name": "Ada"}';
    const [called] = await run({ parameters: { operation: 'call', to, from, agentId, variables } });
    expect(called?.json).toMatchObject({ object: 'telephony.call', to, from });
    const get = { parameters: { operation: 'getCall', callId: called?.json?.id } };
    await expect.poll(async () => (await run(get))[0]?.json?.object, { timeout: 60_000 }).toBe('call');
  });

  it('tells what the server refused, or goes on where the workflow says so', async () => {
    const parameters = { operation: 'getCall', callId: 'call_nobody' };
    const [refused, unknown, continued] = await run(
      { parameters, wrongKey: true },
      { parameters },
      { parameters, continueOnFail: true },
    );
    expect(refused?.error?.code).toBe('401');
    expect(unknown?.error?.code).toBe('404');
    expect(continued?.json?.error).toEqual(expect.any(String));
  });
});
