// @requirement Guides: Each query and alert of the Grafana board has a metric.
/**
 * The monitoring guide's board and alerts are checked against a working server: each query names metrics and labels
 * that `/metrics` has. In the long form a real Prometheus scrapes it by the guide's file and runs the queries
 * (`apt-get install prometheus`).
 */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SimulatedCaller } from '../../src/apps/caller/index.ts';
import { tone } from '../contract/cases/speech.ts';
import { OPERATOR_TOKEN, World } from '../contract/world.ts';
import { type Script, ScriptedEndpoint, saying } from '../conversation/brains/endpoint/scripted-endpoint.ts';
import { freePort } from '../free-port.ts';
import { long, longForm } from '../long-tests.ts';
import { absent, make, workFolder } from '../media/codec/recordings.ts';
import { until } from '../poll.ts';
import { dataFolder } from '../running-server.ts';
import { ALERTS, asGrafana, NODES, PANELS, samplesOf, unanswered } from './dashboard.ts';
import { FOLDER } from './guide.ts';

const SCRAPES = readFileSync(join(FOLDER, 'grafana/prometheus.yml'), 'utf8');

it('tell a query of what is not there', () => {
  const text = '# TYPE a_total counter\na_total{why="x"} 1\nb_bucket{le="1",part="total"} 2';
  const samples = samplesOf(text, { instance: 'here', job: 'trunkline' });
  const asked = (expr: string, legend = '') => unanswered({ expr, legend }, samples);
  expect(asked('60 * sum by (why) (rate(a_total{instance=~"$node"}[$__rate_interval]))', '{{why}}')).toEqual(
    [],
  );
  expect(asked('histogram_quantile(0.5, sum by (le) (rate(b_bucket{part!="x"}[5m]))) > 1.5')).toEqual([]);
  expect(asked('up{job="trunkline"} == 0')).toEqual([]);
  expect(asked('sum(rate(a_totals[5m])) / sum(a_total)')).toEqual(['a_totals']);
  expect(asked('a_total{why="y"} > 1')).toEqual(['a_total{why="y"}']);
  expect(asked('a_total{reason!="y"}')).toEqual(['a_total{reason!="y"}']);
  expect(asked('sum by (reason) (a_total)')).toEqual(['reason']);
  expect(asked('sum by (why) (a_total)', '{{instance}}')).toEqual(['instance']);
  expect(asked('sum(1)')).toEqual(['sum(1)']);
});

const DELIVERY = '\ntrunkline_queue_jobs{queue="webhooks';
const ANSWER = saying('We are open from nine to five.');

describe.skipIf(absent)('a server at work', () => {
  const work = workFolder();
  let brain: { endpoint: ScriptedEndpoint; isThere: boolean };
  let world: World;
  let question: Int16Array;
  beforeAll(async () => {
    const file = make(work.path, 'question.wav', '-t', '2', '-ar', '8000', '-ac', '1', '-bitexact');
    question = new Int16Array(Uint8Array.from(readFileSync(file).subarray(44)).buffer);
    const script: Script = (request, response) =>
      brain.isThere ? ANSWER(request, response) : void response.writeHead(500).end();
    brain = { endpoint: await ScriptedEndpoint.start(script), isThere: true };
    const settings = {
      TRUNKLINE_ALLOW_LOOPBACK_URLS: 'true',
      TRUNKLINE_BRAIN_URL: brain.endpoint.url,
      TRUNKLINE_BRAIN_MODEL: 'scripted',
    };
    world = await World.open({ settings });
    await job();
    await call();
  }, 240_000);
  afterAll(async () => {
    await world?.stop();
    await brain?.endpoint.close();
    work.remove();
  });

  const finals = ({ transcripts }: SimulatedCaller): number =>
    transcripts.filter(({ role, final }) => role === 'agent' && final).length;

  async function call(): Promise<void> {
    brain.isThere = true;
    const caller = await SimulatedCaller.connect(world.url, world.ours.key, { greeting: 'Hello.' });
    await until(() => finals(caller) > 0);
    await caller.say(question);
    await caller.until(({ event }) => event === 'turn');
    await until(() => finals(caller) > 1);
    brain.isThere = false;
    caller.press('1');
    await until(() => finals(caller) > 2);
    await caller.hangUp();
  }

  async function job(): Promise<void> {
    const form = new FormData();
    form.append('file', tone(), 'tone.wav');
    form.append('webhook_url', 'http://127.0.0.1:4/told');
    const headers = { authorization: `Bearer ${world.ours.key}` };
    const answer = await world.send('/v1/transcription/jobs', { method: 'POST', headers, body: form });
    expect(answer.status, answer.text).toBe(201);
  }

  const read = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    return (await fetch(`${world.url}/metrics`, { headers })).text();
  };

  it('has each metric and label that the board and the alerts name', async () => {
    expect([PANELS.length > 20, ALERTS.length]).toEqual([true, 5]);
    let text = '';
    await until(async () => {
      text = await read();
      return text.includes('\ntrunkline_omni_calls_total{') && text.includes(DELIVERY);
    });
    const scraped = /job_name: (\w+)/.exec(SCRAPES)?.[1] ?? '';
    const samples = samplesOf(text, { instance: new URL(world.url).host, job: scraped });
    for (const { title, ...query } of PANELS) {
      expect(unanswered(query, samples), title).toEqual([]);
      expect(query.expr.split('instance=~"$node"').length, title).toBe(query.expr.split('{').length);
    }
    for (const expr of ALERTS) expect(unanswered({ expr, legend: '' }, samples), expr).toEqual([]);
    const names = samples.map(({ name }) => name);
    expect(names).toContain(NODES);
    for (const name of ['turn_taking', 'cut'])
      expect(names, name).toContain(`trunkline_engine_steps_${name}_total`);
    const fallback = 'trunkline_omni_degraded_total{step="fallback",reason="brain_unreachable"}';
    expect(unanswered({ expr: fallback, legend: '' }, samples)).toEqual([]);
  }, 120_000);

  const missing = long && spawnSync('prometheus', ['--version']).error !== undefined;
  if (missing) console.warn('SKIPPED: no Prometheus: apt-get install prometheus');

  it.skipIf(!long || missing)(
    longForm('is scraped by the guide’s file, and Prometheus has an answer to each query'),
    async () => {
      const url = await startPrometheus(new URL(world.url).host);
      const about = async <T>(path: string): Promise<T> => {
        const answer = await fetch(`${url}/api/v1/${path}`);
        const { data, error } = (await answer.json()) as { data: T; error?: string };
        expect(error, path).toBeUndefined();
        return data;
      };
      const asked = async (expr: string): Promise<number[]> => {
        const path = `query?query=${encodeURIComponent(asGrafana(expr))}`;
        const { result } = await about<{ result: { value: [number, string] }[] }>(path);
        return result.map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value));
      };
      await until(async () => (await asked('trunkline_omni_calls_total')).length > 0);
      await call();
      const gap = PANELS[0]?.expr as string;
      await until(async () => (await asked(gap)).some((seconds) => seconds > 0));
      for (const { title, expr } of PANELS)
        expect((await asked(expr)).length, `${title}: ${expr}`).toBeGreaterThan(0);
      expect(await asked('up{job="trunkline"}')).toEqual([1]);
      expect(await about(`label/instance/values?match[]=${NODES}`)).toEqual([new URL(world.url).host]);
      for (const alert of ALERTS) {
        await asked(alert);
        expect((await asked(alert.replace(/ (>|==) [\d.]+$/, ''))).length, alert).toBeGreaterThan(0);
      }
    },
    180_000,
  );
});

async function startPrometheus(target: string): Promise<string> {
  const folder = dataFolder();
  const token = join(folder, 'token');
  writeFileSync(token, OPERATOR_TOKEN);
  const rules = ALERTS.map((expr, at) => ({ alert: `Alert${at}`, expr }));
  writeFileSync(join(folder, 'alerts.yml'), JSON.stringify({ groups: [{ name: 'guide', rules }] }));
  const file = join(folder, 'prometheus.yml');
  const here = SCRAPES.replace('trunkline-1:8080, trunkline-2:8080', target)
    .replace('/etc/prometheus/operator-token', token)
    .replace('15s', '1s');
  writeFileSync(file, `${here}rule_files: [alerts.yml]\n`);
  const checked = spawnSync('promtool', ['check', 'config', file], { encoding: 'utf8' });
  expect(checked.status, checked.stdout + checked.stderr).toBe(0);
  const port = await freePort();
  const places = [`--storage.tsdb.path=${join(folder, 'tsdb')}`, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn('prometheus', [`--config.file=${file}`, ...places], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${url}/-/ready`).catch(() => null))?.ok === true);
  return url;
}
