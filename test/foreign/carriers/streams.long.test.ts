import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { World } from '../../contract/world.ts';
import {
  carriersFolder,
  carriersMissing,
  pipecatFolder,
  pipecatMissing,
} from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';

interface Report {
  readonly unknown: readonly object[];
  readonly unread: readonly unknown[];
  readonly closed: number | null;
  readonly sound: number;
  readonly clear: number;
}

const folder = workFolder();
afterAll(folder.remove);
const missing = absent || pipecatMissing() || carriersMissing();
const world = missing ? null : await World.open();
afterAll(() => world?.stop());

const script = join(import.meta.dirname, 'streams.py');

async function agentThatSays(greeting: string): Promise<string> {
  const { status, json, text } = await world!.send('/v1/agents', {
    method: 'POST',
    headers: { authorization: `Bearer ${world!.ours.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Front desk', greeting, voice_id: 'hibari_en_us' }),
  });
  expect(status, text).toBe(201);
  return (json as { id: string }).id;
}

describe.skipIf(missing || world?.ready === false)('media streams', { timeout: 120_000 }, () => {
  it.each(['telnyx', 'plivo', 'exotel', 'vonage'])('has the messages of %s', async (carrier) => {
    const agent = await agentThatSays('We are open from Monday to Friday. '.repeat(12));
    const ulaw = make(folder.path, 'caller.ulaw', '-t', '5', '-ac', '1', '-ar', '8000', '-f', 'mulaw');
    const env = { ...process.env, PYTHONPATH: [pipecatFolder, carriersFolder].join(delimiter) };
    const args = [script, world!.url, world!.ours.key, agent, ulaw, carrier];
    const { stdout } = await promisify(execFile)('python3', args, { env });
    const report = JSON.parse(stdout) as Report;
    expect(report).toMatchObject({ unknown: [], unread: [], closed: null, clear: 1 });
    expect(report.sound).toBeGreaterThan(1);
  });
});
