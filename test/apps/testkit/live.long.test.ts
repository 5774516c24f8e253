// @requirement Agents: Publishing can require a passing run of a test suite of that very version.
// @requirement Test kit: Twelve suites play end to end.
// @requirement Test kit: Suites mock tools, and check words, arguments, slots, time, outcome and cost.
// @requirement Test kit: A run has pass^k, a baseline, a diff, JUnit, an exit code and a page with audio.
/** Two of the project's suites run as calls, and one that must fail. `TRUNKLINE_TEST_SUITES=all` plays the twelve. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Models } from '../../../src/foundation/platform/models/index.ts';
import { until } from '../../poll.ts';
import { compileProgram, dataFolder, Running, root } from '../../running-server.ts';

const models = new Models();
const whole = ['whisper-base', 'moonshine-tiny-en', 'piper-joe', 'kokoro', 'minilm-l6'].every(
  (id) => models.status(id).ready,
);
const SUITES = join(root, 'src/apps/testkit/suites');
const SHORT = ['opening-hours.yaml', 'order-status.yaml'];
const chosen = process.env.TRUNKLINE_TEST_SUITES === 'all' ? readdirSync(SUITES) : SHORT;

describe.skipIf(!whole)('trunkline test', () => {
  const folder = mkdtempSync(join(tmpdir(), 'suites-'));
  beforeAll(compileProgram, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const environment: Record<string, string> = process.env.TRUNKLINE_MODELS
    ? { TRUNKLINE_MODELS: process.env.TRUNKLINE_MODELS }
    : {};

  /** The response latency depends on the machine, so no test limits it. */
  const suite = (file: string) =>
    readFileSync(join(SUITES, file), 'utf8').replace(/within_ms: \d+/g, 'within_ms: 60000');
  const patient = (file: string) => {
    writeFileSync(join(folder, file), suite(file));
    return join(folder, file);
  };

  it('plays suites, and writes what people and machines read of it', async () => {
    const wrong = join(folder, 'wrong.yaml');
    const hours = suite('opening-hours.yaml');
    writeFileSync(
      wrong,
      hours.replace('name: Opening hours', 'name: Wrong').replace('says: nine', 'says: midnight'),
    );
    const guarantees = join(folder, 'guarantees.yaml');
    const promised = hours.replace('we are open', 'we guarantee you that we are open');
    writeFileSync(
      guarantees,
      promised.replace('name: Opening hours', 'name: Guarantees').replace('at_most: 0.05', 'at_most: 0.0001'),
    );
    const args = [
      '--junit',
      join(folder, 'r.xml'),
      '--html',
      join(folder, 'r.html'),
      '--save',
      join(folder, 'r.json'),
    ];
    const run = new Running(['test', ...chosen.map(patient), wrong, guarantees, ...args], environment);
    expect(await run.code(), `${run.lines.join('\n')}${run.errors}`).toBe(1);
    const failed = run.lines.filter((line) => line.startsWith('FAILED'));
    expect(failed, run.lines.join('\n')).toEqual([
      expect.stringContaining('Wrong / '),
      expect.stringContaining('Guarantees / '),
    ]);
    expect(run.lines.join('\n')).toContain('says “midnight”; got: ');
    expect(run.lines.join('\n')).toContain('breaks at most 0 rules; got: no-guarantees');
    expect(run.lines.join('\n')).toMatch(/costs at most 0\.0001; got: 0\.0[01]/);
    expect(readFileSync(join(folder, 'r.xml'), 'utf8')).toContain('failures="2"');
    expect(readFileSync(join(folder, 'r.html'), 'utf8')).toContain('data:audio/wav;base64,UklGR');
    const saved = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8')) as { gaps_ms: number[] }[];
    expect(saved[0]?.gaps_ms[0]).toBeGreaterThan(0);
  }, 600_000);

  it('publishes on a server that runs what has passed the suite that its agent demands', async () => {
    const settings = { ...environment, TRUNKLINE_DATA: dataFolder() };
    const server = new Running(['serve'], settings);
    const [, url = ''] = await server.line(/^ready (http:\S+)/);
    await until(async () => (await fetch(`${url}/readyz`)).ok);
    const minted = await fetch(`${url}/v1/sandbox/keys`, { method: 'POST' });
    const { api_key: key } = (await minted.json()) as { api_key: string };
    const send = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const answer = await fetch(url + path, {
        method,
        headers: { authorization: headers.authorization },
        ...sent,
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    };
    const agent = String((await send('POST', '/v1/agents', { name: 'Maya', voice_id: 'joe_en_us' })).body.id);
    await send('PUT', `/v1/agents/${agent}/required-suite`, { suite: 'Opening' });
    const draft = {
      greeting: 'Acme Dental, this is Maya.',
      persona: 'You are Maya.\n- Opening hours: we are open from nine to five.',
    };
    await send('PATCH', `/v1/agents/${agent}?draft=true`, draft);
    expect((await send('POST', `/v1/agents/${agent}/publish`, { version: 2 })).status).toBe(409);
    const file = join(folder, 'opening.yaml');
    const step = "{ say: 'What are your opening hours?', expect: { says: nine, within_ms: 60000 } }";
    const lines = [
      'name: Opening',
      `agent_id: ${agent}`,
      'scenarios:',
      '  - name: asks',
      `    steps: [${step}]`,
    ];
    writeFileSync(file, lines.join('\n'));
    const play = (path: string) =>
      new Running(['test', path, '--url', url, '--key', key, '--agent', agent, '--publish'], environment);
    const run = play(file);
    expect(await run.code(), `${run.lines.join('\n')}${run.errors}`).toBe(0);
    expect(run.lines).toContain(`version 2 of ${agent} is published`);
    expect((await send('GET', `/v1/agents/${agent}`)).body).toMatchObject({ published_version: 2, ...draft });
    const modelled = play(patient('order-status.yaml'));
    expect(await modelled.code()).toBe(2);
    expect(modelled.errors).toContain('remove the model from the suite');
  }, 300_000);

  it('says where a suite is wrong, and plays nothing', async () => {
    const odd = join(folder, 'odd.yaml');
    writeFileSync(odd, 'name: A\n');
    const run = new Running(['test', odd, '--check'], environment);
    expect(await run.code()).toBe(2);
    expect(run.errors).toContain(`${odd}:1`);
  }, 60_000);
});
