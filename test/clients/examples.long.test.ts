// @requirement Guides: Each block of a guide runs, or says why it does not.
// @requirement Guides: The example in front of a dialler detects answering machines.
// @requirement Platform: `/llms.txt` and the programs of the guides work.
// @requirement Clients: The clients help with streams, calls, webhooks, pages, retries and errors.
// @requirement Clients: Ten examples run.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browserAbsent, openPage } from '../browser.ts';
import { World } from '../contract/world.ts';
import { ScriptedEndpoint } from '../conversation/brains/endpoint/scripted-endpoint.ts';
import { recording } from '../edge/surfaces/amd/sounds.ts';
import { absent, make, RECORDING } from '../media/codec/recordings.ts';
import { root } from '../running-server.ts';
import { clientsMissing, npmProject, pythonProject } from './packages.ts';

const run = promisify(execFile);
const FOLDER = join(root, 'docs/guides/clients');
const SPOKEN = /printing,? in the only sense with which we are at present concerned/i;

const model = await ScriptedEndpoint.start((received, response) => {
  const { messages = [] } = received.body as { messages?: { role: string; content?: unknown }[] };
  if (/translat/i.test(JSON.stringify(messages))) return void response.writeHead(400).end();
  const result = messages.find(({ role }) => role === 'tool');
  const call = {
    index: 0,
    id: 'c1',
    type: 'function',
    function: { name: 'look_up_order', arguments: '{"number":"1234"}' },
  };
  const asked = JSON.stringify(messages.at(-1)).includes('1234');
  const delta = result
    ? { content: `Your order is ${String(result.content).includes('on its way') ? 'on its way' : 'lost'}.` }
    : asked
      ? { tool_calls: [call] }
      : { content: 'We open at nine.' };
  response.setHeader('content-type', 'text/event-stream');
  const finish_reason = 'tool_calls' in delta ? 'tool_calls' : 'stop';
  for (const choice of [
    { index: 0, delta },
    { index: 0, delta: {}, finish_reason },
  ])
    response.write(`data: ${JSON.stringify({ choices: [choice] })}\n\n`);
  response.end('data: [DONE]\n\n');
});
const missing = clientsMissing || absent;
const world = missing
  ? null
  : await World.open({
      settings: {
        TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
        TRUNKLINE_BRAIN_URL: model.url,
        TRUNKLINE_BRAIN_MODEL: 'scripted',
      },
    });
afterAll(async () => {
  await world?.stop();
  await model.close();
});

describe.skipIf(missing || world?.ready === false)('the examples of the guide', () => {
  const out = mkdtempSync(join(tmpdir(), 'examples-'));
  let project: string;
  let microphone: string;
  beforeAll(async () => {
    project = await npmProject(world!);
    for (const name of readdirSync(FOLDER)) copyFileSync(join(FOLDER, name), join(project, name));
    microphone = make(out, 'microphone.wav', '-ar', '16000', '-ac', '1', '-bitexact');
  }, 900_000);

  const env = () => ({ ...process.env, TRUNKLINE_URL: world!.url, TRUNKLINE_KEY: world!.ours.key });
  const example = async (name: string, ...args: string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, [join(project, name), ...args], {
      env: env(),
      timeout: 170_000,
    });
    return stdout;
  };

  it('are all run here', () => {
    const here = readFileSync(join(import.meta.dirname, 'examples.long.test.ts'), 'utf8');
    const names = readdirSync(FOLDER);
    expect(names.length).toBeGreaterThanOrEqual(11);
    // test/clients/generator.long.test.ts uses the settings of the generator.
    for (const name of names.filter((one) => !one.endsWith('.yaml')))
      expect(here, name).toContain(`'${name}'`);
    const guide = readFileSync(join(root, 'docs/guides/clients.md'), 'utf8');
    for (const name of names) expect(guide, name).toContain(`clients/${name}`);
  });

  it('file to text', async () => {
    expect(await example('file-to-text.mjs', RECORDING)).toMatch(SPOKEN);
  }, 180_000);

  it('live captions', async () => {
    const lines = (await example('live-captions.mjs', microphone)).trim().split('\n');
    expect(lines.some((line) => line.startsWith('… '))).toBe(true);
    expect(lines.filter((line) => line.startsWith('= ')).join(' ')).toMatch(/printing/i);
  }, 180_000);

  it('speak to a file', async () => {
    const path = join(out, 'hello.mp3');
    expect(await example('speak-to-file.mjs', path)).toContain('heart_en_us spoke at 24000 Hz');
    expect(readFileSync(path).length).toBeGreaterThan(5000);
  }, 180_000);

  it('a call', async () => {
    const said = await example('call.mjs');
    expect(said).toMatch(/^call ocl_\w{20}, spoken by \w+/);
    expect(said).toMatch(/agent: Hello, how can I help you\?/);
    expect(said).toMatch(/agent: We open at nine/);
    expect(said).toContain('ended: client_ended');
    expect(Number(/heard ([\d.]+) s/.exec(said)?.[1])).toBeGreaterThan(1);
  }, 180_000);

  it('tools', async () => {
    expect(await example('tools.mjs')).toBe('looked up 1234\nagent: Your order is on its way.\n');
  }, 180_000);

  it('knowledge', async () => {
    expect(await example('knowledge.mjs')).toMatch(/^indexed: .*open at nine/s);
  }, 180_000);

  it('a job whose end is told', async () => {
    const said = await example('job-with-webhook.mjs', RECORDING);
    expect(said).toMatch(/^transcription\.job\.completed\n/);
    expect(said).toMatch(SPOKEN);
  }, 180_000);

  it('who answered', async () => {
    const path = join(out, 'call.ulaw');
    const speech = recording('ljspeech/LJ001-0001.wav');
    writeFileSync(path, speech);
    expect(await example('amd.mjs', path)).toMatch(/^\w+ after \d+ ms: \S/);
  }, 180_000);

  it('a dub', async () => {
    const path = join(out, 'dubbed');
    const short = make(out, 'short.wav', '-t', '4');
    expect(await example('dub.mjs', short, path)).toMatch(/^done: \d+ bytes of audio\//);
    expect(readFileSync(path).length).toBeGreaterThan(10_000);
  }, 180_000);

  it.skipIf(browserAbsent)(
    'a page that talks to an agent',
    async () => {
      const site = await serveSite(project);
      const { page } = await openPage(Buffer.alloc(3200));
      await page.goto(`${site}/console.html`);
      await page.waitForFunction("document.title === 'ended'", undefined, { timeout: 120_000 });
      expect(await page.locator('#said').textContent()).toContain('agent: Hello, how can I help you?');
    },
    180_000,
  );

  it('Python', async () => {
    const python = await pythonProject(world!);
    const { stdout } = await run(python, [join(FOLDER, 'everything.py'), microphone], {
      env: env(),
      timeout: 170_000,
    });
    expect(stdout).toMatch(/^text: .*printing/im);
    expect(stdout).toMatch(/^live: .*printing/im);
    expect(stdout).toMatch(/^jobs: [1-9]/m);
    expect(stdout).toContain('refused: voice_not_found');
    expect(stdout).toMatch(/^agent: Hello there\.\nended: client_ended$/m);
  }, 900_000);
});

async function serveSite(project: string): Promise<string> {
  const site = createServer(async (request, response) => {
    const files: Record<string, string> = {
      '/console.html': join(project, 'console.html'),
      '/trunkline-client.js': join(project, 'node_modules/trunkline-client/dist/esm/index.js'),
    };
    const file = files[request.url ?? ''];
    if (file) {
      const type = file.endsWith('.js') ? 'text/javascript' : 'text/html; charset=utf-8';
      return response.setHeader('content-type', type).end(readFileSync(file));
    }
    if (request.url !== '/session') return response.writeHead(404).end();
    const minted = await world!.send('/v1/omni/sessions', {
      method: 'POST',
      headers: { authorization: `Bearer ${world!.ours.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ origin }),
    });
    return response.end(JSON.stringify({ baseUrl: world!.url, token: minted.json?.token }));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void site.close());
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await world!.send('/v1/omni/origins', {
    method: 'PUT',
    headers: { authorization: `Bearer ${world!.ours.session}`, 'content-type': 'application/json' },
    body: JSON.stringify({ origins: [origin] }),
  });
  return origin;
}
