// @requirement Console: The console has jobs, dubs, webhooks, numbers, messages, integrations, the audit log and knowledge gaps.
// @requirement Console: Each page passes axe, works by keyboard, in dark and light, on a phone's width.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browserAbsent, telephoneWav } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { follow, press, tabTo, type } from './keys.ts';
import { look, person, seed, sentence, settled, signUp, violations } from './seeded.ts';
import { figure, rowsOf, unfold } from './tables.ts';
import { absent, Office, OPERATOR_TOKEN, serveTelephones } from './telephone.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every route.
type Json = any;

const WITHIN = { timeout: 20_000 };
const untimed = (prompt: string): string => prompt.replace(/\d/g, '');

async function openShop() {
  const reported: Json[] = [];
  let notify = () => {};
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    reported.push(JSON.parse(Buffer.concat(parts).toString()));
    response.end();
    notify();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const next = async () => {
    while (reported.length === 0)
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    return reported.shift();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, next };
}

describe.skipIf(browserAbsent || Boolean(absent))('in the console', () => {
  let url = '';
  beforeAll(async () => {
    await compileProgram();
    await builtConsole();
    url = await serveTelephones();
  }, 300_000);

  async function open(name: string) {
    const { page, complaints } = await look(url);
    const who = person(name);
    await signUp(page, who);
    const office = await Office.open(url, who);
    await press(page, page.getByRole('button', { name: 'To your first call' }));
    return { page, complaints, who, office };
  }

  const summary = (page: Page, name: string) => page.locator('summary').filter({ hasText: name });

  // @requirement Console: The console shows the organization, members, usage, money and limits.
  it('invites somebody by keys alone, who joins by the link, and gets another role', async () => {
    const { page, complaints, office } = await open('ines');
    await follow(page, 'Members');
    await press(page, summary(page, 'Invite a person'));
    await type(page, page.getByLabel('E-mail'), 'zoe@example.com');
    await page.keyboard.press('Enter');
    const link = (await page.locator('.once code').textContent()) as string;

    const theirs = await (await page.context().browser()!.newContext()).newPage();
    await theirs.goto(link);
    await theirs.getByText('To Analytical Engines, as developer, for zoe@example.com.').waitFor();
    expect(await violations(theirs)).toEqual([]);
    await type(theirs, theirs.getByLabel('Name'), 'Zoe');
    await type(theirs, theirs.getByLabel('Password'), 'correct horse battery');
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('heading', { name: 'Home' }).waitFor();

    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'zoe@example.com' });
    await press(page, row.getByRole('button', { name: /^Analyst: reads/ }));
    await row.getByText('analyst', { exact: true }).waitFor();
    await row.getByRole('button', { name: /^Developer: also makes keys/ }).waitFor();
    const { data: members } = await office.asPerson('/v1/members');
    expect(members.find(({ email }: Json) => email === 'zoe@example.com')).toMatchObject({
      name: 'Zoe',
      role: 'analyst',
    });

    await follow(page, 'Audit log');
    const { data: deeds } = await office.asPerson('/v1/audit');
    const shown = await rowsOf(page, 'Audit log');
    expect(shown.map((cells) => cells[3])).toEqual(deeds.map(({ action }: Json) => action));
    const changed = page.getByRole('row').filter({ hasText: 'member.changed' });
    await press(page, changed.locator('summary'));
    expect(JSON.parse((await changed.locator('pre').textContent()) as string)).toMatchObject({
      before: { role: 'developer' },
      after: { role: 'analyst' },
    });
    expect(complaints).toEqual([]);
  }, 180_000);

  // @requirement Console: The console builds agents, with versions, traffic, tools and knowledge.
  it('gives an agent tools and knowledge in a draft by keys alone, and some of the calls', async () => {
    const { page, complaints, office, who } = await open('otto');
    const { agent, base } = await seed(url, who);
    await follow(page, 'Agents');
    await press(page, page.getByRole('link', { name: 'Reception' }).first());
    await page.evaluate(`location.hash = '#/agents/${agent}'`);
    await page.getByRole('checkbox', { name: 'Opening hours' }).waitFor();
    await settled(page);
    await type(page, page.getByLabel('Greeting'), 'Good evening.');
    for (const name of ['Opening hours', 'find_order', 'Keep it as a draft'])
      await press(page, page.getByRole('checkbox', { name }), ' ');
    await press(page, page.getByRole('button', { name: 'Save' }));
    await page.getByRole('row').filter({ hasText: 'draft' }).waitFor();
    const versions = async () => (await rowsOf(page, 'Versions')).map((cells) => cells.slice(0, 3));
    expect(await versions()).toEqual([
      ['2', 'draft', '0%'],
      ['1', 'published', '100%'],
    ]);

    await press(page, summary(page, 'What the model is told'));
    await tabTo(page, page.getByLabel('Version', { exact: true }));
    await page.keyboard.press('2');
    const reported = await office.send('GET', `/v1/agents/${agent}/prompt?version=2`);
    expect(JSON.stringify(reported.tools)).toContain('find_order');
    const pre = page.locator('details', { hasText: 'What the model is told' }).locator('pre');
    await expect
      .poll(async () => untimed((await pre.first().textContent()) as string), WITHIN)
      .toBe(untimed(reported.system));
    await expect
      .poll(async () => JSON.parse((await pre.last().textContent()) as string), WITHIN)
      .toEqual(reported.tools);

    await type(page, page.getByLabel('Percent of calls for version 2'), '10');
    await type(page, page.getByLabel('Percent of calls for version 1'), '80');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('add up to 90 percent').waitFor();
    await type(page, page.getByLabel('Percent of calls for version 1'), '90');
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: '90%' }).waitFor();
    expect(await versions()).toEqual([
      ['2', 'published', '10%'],
      ['1', 'published', '90%'],
    ]);
    expect(await office.send('GET', `/v1/agents/${agent}`)).toMatchObject({ traffic: { 1: 90, 2: 10 } });
    const second = await office.send('GET', `/v1/agents/${agent}?version=2`);
    expect(second).toMatchObject({ greeting: 'Good evening.', knowledge_base_ids: [base], grounding: null });
    expect(second.tool_ids).toHaveLength(1);
    expect(await violations(page)).toEqual([]);
    expect(complaints.filter((one) => !/status of 400 .*\/traffic$/.test(one))).toEqual([]);
  }, 180_000);

  it('has a recording written down, a dub corrected and rendered anew', async () => {
    const { page, complaints, office } = await open('dora');
    const file = { name: 'said.wav', mimeType: 'audio/wav', buffer: telephoneWav(sentence()) };
    await follow(page, 'Dub');
    await page.getByLabel('File').setInputFiles(file);
    await press(page, page.getByRole('button', { name: 'Create', exact: true }));
    await page.getByRole('row').filter({ hasText: 'en → es' }).waitFor();

    await follow(page, 'Transcription jobs');
    await page.getByLabel('File').setInputFiles(file);
    await type(page, page.getByLabel('Language').last(), 'en');
    await press(page, page.getByRole('button', { name: 'Create', exact: true }));
    const done = page.getByRole('row').filter({ hasText: 'completed' });
    await done.waitFor({ timeout: 120_000 });
    await done.getByRole('progressbar', { name: '100%' }).waitFor();
    await press(page, done.getByRole('link'));
    const { data: jobs } = await office.send('GET', '/v1/transcription/jobs');
    const job = await office.send('GET', `/v1/transcription/jobs/${jobs[0].id}`);
    const lines = page.locator('.said li');
    await lines.first().waitFor();
    const words = await lines.allTextContents();
    expect(words).toHaveLength(job.segments.length);
    for (const [at, { text }] of job.segments.entries()) expect(words[at]).toContain(text);

    await follow(page, 'Dub');
    const { data: dubs } = await office.send('GET', '/v1/dub');
    const path = `/v1/dub/${dubs[0].id}`;
    const dub = await office.once(path, ({ status }) => /done|error/.test(status));
    expect(dub).toMatchObject({ status: 'done' });
    await press(page, page.getByRole('table').getByRole('link'));
    const segment = summary(page, '→').first();
    await press(page, segment);
    await type(page, page.getByLabel('What is said instead').first(), 'Buenos días a todos.');
    await press(page, page.getByRole('button', { name: 'Save' }).first());
    await summary(page, 'Buenos días a todos.').waitFor();
    await press(page, page.getByRole('button', { name: 'Render the changes' }));
    const { revision } = dub;
    await office.once(path, (now) => now.status === 'done' && now.revision !== revision);
    const { data: after } = await office.send('GET', `${path}/segments`);
    expect(after[0]).toMatchObject({ translation: 'Buenos días a todos.' });
    await page.getByText('done', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  it('takes a number, writes from it, tells another system, and shows what the server can', async () => {
    const { page, complaints, office } = await open('paul');
    const shop = await openShop();
    const free = await office.send('GET', '/v1/telephony/available-numbers?country=US&limit=2');
    const number = free.data.find(({ phone_number: one }: Json) => one !== office.number).phone_number;
    await follow(page, 'Numbers');
    await press(page, summary(page, 'Take a number'));
    await type(page, page.getByLabel('Number', { exact: true }), number);
    await tabTo(page, page.getByLabel('Answered by'));
    await page.keyboard.type('Reception');
    await press(page, page.getByRole('button', { name: 'Create', exact: true }).first());
    const row = page.getByRole('row').filter({ hasText: number });
    await row.getByText('Reception').waitFor();
    await press(page, row.getByRole('button', { name: /^No agent/ }));
    await row.getByText('Reception').waitFor({ state: 'detached' });

    await follow(page, 'Messages');
    await type(page, page.getByLabel('From'), number);
    await type(page, page.getByLabel('To', { exact: true }), '+15005550001');
    await type(page, page.getByLabel('Words'), 'Your table is booked.');
    await press(page, page.getByRole('button', { name: 'Create', exact: true }));
    const settled = ({ data }: Json) => data.some(({ status }: Json) => status === 'delivered');
    const { data: messages } = await office.once('/v1/messages', settled);
    const { from, to, body, status } = messages.find(({ direction }: Json) => direction === 'outbound');
    expect([from, to, body]).toEqual([number, '+15005550001', 'Your table is booked.']);
    const sent = page.getByRole('row').filter({ hasText: 'outbound' });
    for (const shown of [from, to, body, status]) await sent.getByText(shown, { exact: true }).waitFor();

    await follow(page, 'Integrations');
    await press(page, summary(page, 'Add a destination'));
    await type(page, page.getByLabel('Name'), 'Our system');
    await type(page, page.getByLabel('Address'), shop.url);
    await type(page, page.getByLabel('Events'), 'telephony.call.ended');
    await press(page, page.getByRole('button', { name: 'Create', exact: true }));
    const destination = page.getByRole('row').filter({ hasText: 'Our system' });
    await press(page, destination.getByRole('button', { name: /^Try it/ }));
    const reported = await page.getByText(/^The sample .* was sent\.$/).textContent();
    expect(reported).toContain((await shop.next()).id);
    await press(page, destination.getByRole('button', { name: /^Pause/ }));
    await destination.getByText('paused').waitFor();

    await follow(page, 'Status');
    await page.getByText('Only the operator of this server sees its parts.').waitFor();
    await follow(page, 'Server');
    await type(page, page.getByLabel('Operator’s token'), OPERATOR_TOKEN);
    await press(page, page.getByRole('button', { name: 'Open', exact: true }));
    await rowsOf(page, 'Models and devices');
    await press(page, page.locator('main').getByRole('link', { name: 'Status', exact: true }));
    const { parts } = (await (await fetch(`${url}/readyz`)).json()) as Json;
    expect(await rowsOf(page, 'Parts of the server')).toEqual(
      parts.map(({ name, ready, required, detail }: Json) => [
        name,
        ready ? 'ready' : 'not ready',
        required ? 'Yes' : 'No',
        detail ?? '–',
      ]),
    );

    await office.speakLive('Your table is booked for seven, and we look forward to seeing you.');
    await follow(page, 'Usage and costs');
    const { data: invoices } = await office.asPerson('/v1/billing/invoices');
    expect(invoices[0].amount_micros).toBeGreaterThan(0);
    await unfold(page, 'Costs by month');
    // The axis decides the digits: four where the tallest bar is below a hundredth.
    expect(await rowsOf(page, 'Costs by month')).toEqual(
      [...invoices]
        .reverse()
        .map(({ period, amount_micros }: Json) => [period, figure(amount_micros / 1e6, 4)]),
    );
    expect(complaints).toEqual([]);
  }, 180_000);
});
