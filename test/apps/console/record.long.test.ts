// @requirement Console: The console shows the organization, members, usage, money and limits.
// @requirement Console: The live page shows the latency that the record has.
// @requirement Console: A record shows its turns, passages, tool calls, AMD evidence and findings.
// @requirement Console: The console tunes AMD by replay.
// @requirement Console: The console has jobs, dubs, webhooks, numbers, messages, integrations, the audit log and knowledge gaps.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import {
  chatChunk,
  type Script,
  ScriptedEndpoint,
} from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { compileProgram, Running } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, signUp, violations } from './seeded.ts';
import { figure, rowsOf, unfold } from './tables.ts';
import { ASKS, absent, Office, serveTelephones } from './telephone.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every route.
type Json = any;

const HOURS = 'We open at nine and close at five.';

const CLERK: Script = ({ body }, response) => {
  const said = body.messages as { role: string; content?: string }[];
  const inTurn = said.slice(said.findLastIndex(({ role }) => role === 'user'));
  const calls = (name: string, args: object) => [
    { index: 0, id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
  ];
  const next = () => {
    if (!JSON.stringify(body.tools ?? '').includes('find_order')) return { content: 'Yes.' };
    if (JSON.stringify(said).includes('(capture)'))
      return { content: `I guarantee it comes today. ${HOURS}` };
    if (inTurn.some(({ role }) => role === 'tool'))
      return { tool_calls: calls('capture', { slot: 'order', kind: 'digits' }) };
    return { tool_calls: calls('find_order', { of: 'Ann' }) };
  };
  const answer = next();
  response.setHeader('content-type', 'text/event-stream');
  response.write(chatChunk(answer));
  response.end(`${chatChunk({}, 'tool_calls' in answer ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
};

class Shop {
  readonly requests: Json[] = [];
  readonly #server: Server;
  #listeners: (() => void)[] = [];

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      this.requests.push({ path: request.url, body: JSON.parse(Buffer.concat(parts).toString()) });
      response.setHeader('content-type', 'application/json').end('{"state":"on its way"}');
      for (const notify of this.#listeners.splice(0)) notify();
    });
  }

  static async open(): Promise<Shop> {
    const shop = new Shop();
    await once(shop.#server.listen(0, '127.0.0.1'), 'listening');
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async requestsTo(path: string, times: number): Promise<Json[]> {
    for (;;) {
      const found = this.requests.filter((one) => one.path === path);
      if (found.length >= times) return found;
      await new Promise<void>((resolve) => this.#listeners.push(resolve));
    }
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe.skipIf(browserAbsent || Boolean(absent))('a call by telephone, in the console', () => {
  let model: ScriptedEndpoint;
  let shop: Shop;
  let url = '';
  beforeAll(async () => {
    await compileProgram();
    await builtConsole();
    model = await ScriptedEndpoint.start(CLERK);
    shop = await Shop.open();
    url = await serveTelephones({ TRUNKLINE_BRAIN_URL: model.url, TRUNKLINE_BRAIN_MODEL: 'clerk' });
  }, 300_000);
  afterAll(async () => {
    await model?.close();
    shop?.close();
  });

  async function equip(office: Office): Promise<string> {
    const make = (path: string, body: object) => office.send('POST', path, body);
    const base = await make('/v1/knowledgebases', { name: 'Hours' });
    await make(`/v1/knowledgebases/${base.id}/documents`, { title: 'Hours', text: HOURS });
    await office.once(`/v1/knowledgebases/${base.id}/documents`, ({ data }) => data[0]?.status === 'indexed');
    const tool = await make('/v1/tools', {
      name: 'find_order',
      kind: 'webhook',
      url: `${shop.url}/tool`,
      description: 'Finds an order',
      parameters: { type: 'object', properties: { of: { type: 'string' } } },
    });
    await office.send('PATCH', `/v1/agents/${office.agent}`, {
      knowledge_base_ids: [base.id],
      tool_ids: [tool.id],
      builtin_tools: ['capture'],
      grounding: 'open',
    });
    const gate = { require_consent: false, quiet_hours: null, attempts: null };
    const rule_packs = [{ id: 'brand-voice' }];
    const webhook_url = `${shop.url}/judged`;
    await office.send('PUT', '/v1/trace/config', { enabled: true, rule_packs, gate, webhook_url });
    await office.send('PUT', '/v1/recap/config', { enabled: true });
    await make('/v1/recap/scorecards', {
      name: 'Listening',
      criteria: [
        {
          id: 'listens',
          text: 'Listens',
          kind: 'yes_no',
          by: 'metric',
          metric: 'agent_talk_share',
          most: 0.5,
        },
      ],
    });
    return base.id;
  }

  it('is heard of while it goes on, and shown with all that its record holds', async () => {
    const { page, complaints } = await look(url);
    const who = person('nora');
    await signUp(page, who);
    const office = await Office.open(url, who);
    const base = await equip(office);
    const show = async (where: string) => {
      await page.goto(`${url}/console#/${where}`);
      await page.reload();
    };

    await show('live');
    const phone = await office.call(ASKS, { amd: { mode: 'detect' } });
    const card = page.getByRole('region', { name: `Telephone call with ${ASKS}` });
    const latency = await card.getByText(/^Last answer: /).textContent({ timeout: 120_000 });
    const ended = await office.event('telephony.call.ended', phone);
    const id = ended.omni_call_id;
    const call = await office.once(
      `/v1/omni/calls/${id}`,
      ({ recording_result: { status }, summary_result: { status: summed } }) =>
        status !== 'pending' && summed !== 'pending',
    );
    const totals = call.turns.map(({ latency_ms }: Json) => latency_ms.total);
    expect(totals.map((total: number) => figure(total))).toContain(
      /^Last answer: ([\d,]+) ms/.exec(latency!)![1],
    );

    const judged = await office.once(`/v1/trace/interactions?source_id=${id}`, ({ data }) => data.length > 0);
    const trace = await office.send('GET', `/v1/trace/interactions/${judged.data[0].id}`);
    const { data: recaps } = await office.once(
      `/v1/recap/calls?source_id=${id}`,
      ({ data }) => data.length > 0,
    );
    const { data: heard } = await office.send('GET', `/v1/amd/calls?call_sid=${phone}`);
    const amd = await office.send('GET', `/v1/amd/calls/${heard[0].id}`);

    await show(`calls/${id}`);
    const problems = page.getByRole('region', { name: 'What did not go as planned' });
    await problems
      .getByText(/“.*guarantee.*”/)
      .first()
      .waitFor();
    const moments = page.getByRole('slider', { name: 'Moments of the call' });
    await moments.getByText('Findings').waitFor();
    const details: string[] = [];
    const count = Number(await moments.getAttribute('aria-valuemax'));
    await moments.focus();
    for (let nth = 0; nth < count; nth += 1) {
      await page.keyboard.press('ArrowRight');
      details.push((await moments.getAttribute('aria-valuetext')) as string);
    }
    const wordsOf = (role: string) =>
      call.transcript.entries.filter((entry: Json) => entry.role === role).map(({ text }: Json) => text);
    for (const text of [...wordsOf('user'), ...wordsOf('agent')])
      expect(details.some((detail) => detail.includes(text))).toBe(true);
    const tool = details.findIndex((detail) => detail.includes('find_order {"of":"Ann"}'));
    expect(tool).toBeGreaterThanOrEqual(0);
    expect(details[tool]).toContain(JSON.stringify(call.tool_calls[0].result));
    expect(details.filter((detail) => detail.includes('The caller waited')).length).toBeGreaterThan(0);
    expect(details.filter((detail) => /“.*guarantee.*”/.test(detail)).length).toBeGreaterThan(0);
    const { cost } = await office.send('GET', `/v1/calls/${id}`);
    expect(cost.micros).toBeGreaterThan(0);
    await page
      .getByRole('region', { name: 'Cost' })
      .getByText((cost.micros / 1e6).toFixed(4).replace(/0{1,2}$/, ''), { exact: true })
      .waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Make a test of this call' }).click(),
    ]);
    const suite = await download.path();
    expect(readFileSync(suite, 'utf8')).toContain('tool: { name: "find_order" }');
    expect(await new Running(['test', '--check', suite]).code()).toBe(0);
    const last = trace.violations.at(-1).start_ms;
    await show(`calls/${id}/at/${last}`);
    await expect
      .poll(() => moments.getAttribute('aria-valuetext'))
      .toContain(`0:${String(Math.round(last / 1000)).padStart(2, '0')}`);
    await unfold(page, 'Latency by turn');
    expect(await rowsOf(page, 'Latency by turn')).toEqual(
      call.turns.map(({ turn_id, latency_ms }: Json) => [
        String(turn_id),
        ...['endpoint', 'asr', 'brain', 'tts'].map((step) => figure(Math.max(0, latency_ms[step]))),
      ]),
    );
    expect(call.grounding.length).toBeGreaterThan(0);
    expect(await rowsOf(page, 'Passages used')).toEqual(
      call.grounding.flatMap(({ turn_id, passages }: Json) =>
        passages.map(({ source, document_id, score, used }: Json) => [
          String(turn_id),
          source ?? document_id,
          figure(score, 2),
          used ? 'Yes' : 'No',
        ]),
      ),
    );
    expect(call.tool_calls).toMatchObject([{ name: 'find_order', arguments: { of: 'Ann' } }]);
    expect((await rowsOf(page, 'Tool calls')).map((cells) => [cells[0], ...cells.slice(2)])).toEqual(
      call.tool_calls.map(({ turn_id, name, arguments: asked, result, took_ms }: Json) => [
        String(turn_id),
        name,
        JSON.stringify(asked),
        JSON.stringify(result),
        figure(took_ms),
      ]),
    );
    expect(call.slots).toMatchObject([
      { slot: 'order', kind: 'digits', status: 'captured', confirmed: 'keys' },
    ]);
    expect(await rowsOf(page, 'Values asked for')).toEqual(
      call.slots.map(({ slot, kind, attempts }: Json) => [slot, kind, 'captured', 'keys', figure(attempts)]),
    );
    expect(amd.evidence.length).toBeGreaterThan(0);
    expect(await rowsOf(page, 'Evidence')).toEqual(
      amd.evidence.map(({ at_ms, kind, detail }: Json) => [figure(at_ms), kind, detail]),
    );
    const broken = trace.violations.map(({ rule_id }: Json) => rule_id);
    expect(new Set(broken)).toEqual(new Set(['no-guarantees']));
    expect(await rowsOf(page, 'Findings')).toEqual(
      [...trace.violations, ...trace.findings].map(({ title, severity, quote }: Json) => [
        title,
        severity,
        quote,
      ]),
    );
    expect(recaps[0].scores).toHaveLength(1);
    expect(await rowsOf(page, 'Scorecard')).toEqual(
      recaps[0].scores.map(({ criterion_id, value, evidence }: Json) => [
        criterion_id,
        figure(value, 2),
        evidence.map(({ detail }: Json) => detail).join('; '),
      ]),
    );
    expect(await violations(page)).toEqual([]);

    await tune(amd.id);
    await redeliver();
    await unanswered();
    await plotted();
    expect(complaints).toEqual([]);

    async function tune(of: string): Promise<void> {
      for (const [really, requests] of [
        ['voicemail', '0 of 1 correct; 0 people detected as machines; 1 machines detected as people.'],
        ['human', '1 of 1 correct; 0 people detected as machines; 0 machines detected as people.'],
      ] as const) {
        await show(`amd/${of}`);
        await page.getByLabel('Who really answered').selectOption(really);
        await page.getByRole('button', { name: 'Correct' }).click();
        await page.getByText('Done.').waitFor();
        await show('amd');
        await page.getByText(requests).waitFor();
        expect(await rowsOf(page, 'Confusion matrix: actual by detected')).toEqual([
          really === 'human' ? ['human', '1'] : ['voicemail', '1', '0'],
        ]);
      }
      await page.getByRole('slider').focus();
      await page.keyboard.press('Home');
      await page.getByText('Replay with aggressiveness 0').waitFor();
      const { right, calls } = await office.send('GET', '/v1/amd/report?aggressiveness=0');
      await page.getByText(`${right} of ${calls} correct`).waitFor();
    }

    async function redeliver(): Promise<void> {
      const [first] = await shop.requestsTo('/judged', 1);
      await show('webhooks');
      const row = page.getByRole('row').filter({ hasText: 'trace.interaction.evaluated' });
      await row.getByText('delivered').waitFor();
      expect((await rowsOf(page, 'Deliveries'))[0]?.slice(2, 4)).toEqual([
        'trace.interaction.evaluated',
        `${shop.url}/judged`,
      ]);
      await row.getByRole('button', { name: /^Send again/ }).click();
      const [, again] = await shop.requestsTo('/judged', 2);
      expect(again.body).toEqual(first.body);
    }

    async function unanswered(): Promise<void> {
      const gaps = await office.once(`/v1/knowledgebases/${base}/gaps`, ({ data }) => data.length > 0);
      await show(`knowledge/${base}`);
      const shown = await rowsOf(page, 'Gaps');
      expect(shown.map(([question]) => question)).toEqual(gaps.data.map(({ question }: Json) => question));
      expect(shown.join()).toMatch(/organs/i);
      await page.getByLabel('Question').fill('When do you close?');
      await page.getByRole('button', { name: 'Find' }).click();
      await page.getByRole('listitem').filter({ hasText: HOURS }).waitFor();
    }

    async function plotted(): Promise<void> {
      const { data } = await office.once(
        '/v1/billing/usage?group_by=day,meter',
        ({ data: rows }) => rows.length > 0,
      );
      await show('usage');
      await unfold(page, 'The last thirty days');
      const meters = [...new Set<string>(data.map(({ meter }: Json) => meter))].sort();
      const minutes = (meter: string) =>
        data
          .filter((row: Json) => row.meter === meter)
          .reduce((sum: number, row: Json) => sum + row.milliseconds, 0) / 60_000;
      expect(meters).toContain('omni');
      expect((await rowsOf(page, 'The last thirty days')).at(-1)?.slice(1)).toEqual(
        meters.map((meter) => figure(minutes(meter), 2)),
      );
    }
  }, 300_000);
});
