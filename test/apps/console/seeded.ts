import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openBrowser, silentBrowser } from '../../browser.ts';
import { SPEECH } from '../../media/codec/recordings.ts';
import { pollDelay } from '../../poll.ts';
import { Running } from '../../running-server.ts';

export interface Person {
  readonly email: string;
  readonly password: string;
}

export const person = (name: string): Person => ({
  email: `${name}@example.com`,
  password: 'correct horse battery',
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every route.
type Json = any;

export interface Seeded {
  readonly url: string;
  readonly page: Page;
  readonly complaints: string[];
}

let networks = 0;

const HEAD_BYTES = 44;
export const sentence = (): Buffer =>
  readFileSync(join(SPEECH, 'asterisk_en/agent-newlocation.wav')).subarray(HEAD_BYTES);

export async function serve(): Promise<string> {
  const server = new Running(['serve'], {
    TRUNKLINE_CARRIER: 'loopback',
    TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1',
  });
  const [, url] = await server.line(/^ready (http:\S+)/);
  return url as string;
}

export async function look(url: string, microphone?: Buffer): Promise<Seeded> {
  const browser = await (microphone === undefined ? silentBrowser() : openBrowser(microphone));
  networks += 1;
  // Each browser comes from an IPv4 /24 of its own: one source network may create five accounts a day.
  const context = await browser.newContext({
    extraHTTPHeaders: { 'x-forwarded-for': `10.9.${networks % 250}.1` },
  });
  onTestFinished(() => context.close());
  // A busy machine takes long to hash a password, or to begin a voice.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    const { url: of } = message.location();
    // Three failures are expected: requests before the sign-in, requests over the rate limit, which the console
    // repeats, and the WebRTC call that its own `end` has removed when the connection closes.
    const expected = /status of (401|429)/.test(message.text()) || of.includes('/v1/omni/webrtc/');
    if (message.type() === 'error' && !expected) complaints.push(`${message.text()} ${of}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(`${url}/console`);
  return { url, page, complaints };
}

export async function signUp(page: Page, { email, password }: Person): Promise<void> {
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Organization', { exact: true }).fill('Analytical Engines');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('heading', { name: 'Your sandbox key' }).waitFor();
}

/** The pages use the same key, so its rate limit may be reached: the request then waits and repeats. */
export async function fetchInRate(address: string, asked: RequestInit): Promise<Response> {
  for (;;) {
    const answer = await fetch(address, asked);
    if (answer.status !== 429) return answer;
    await pollDelay();
  }
}

async function send(url: string, path: string, body: object, headers: object): Promise<Json> {
  const answer = await fetchInRate(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': `seed ${path}`, ...headers },
    body: JSON.stringify(body),
  });
  const reported = await answer.json();
  expect(answer.ok, `${path}: ${JSON.stringify(reported)}`).toBe(true);
  return reported;
}

/** Creates one record of each kind in the sandbox of the person's project; `name` is the name of each. */
export async function seed(url: string, who: Person, name?: string): Promise<Record<string, string>> {
  const session = await send(url, '/auth/login', who, {});
  const signedIn = { authorization: `Bearer ${session.token}` };
  const { api_key: key } = await send(url, '/auth/session/key', { environment: 'sandbox' }, signedIn);
  const by = { authorization: `Bearer ${key}` };
  const make = (path: string, body: object) => send(url, path, body, by);
  const agent = await make('/v1/agents', { name: name ?? 'Reception', greeting: 'Hello, the front desk.' });
  await make('/v1/tools', { name: 'find_order', kind: 'client', description: 'Finds an order' });
  const base = await make('/v1/knowledgebases', { name: name ?? 'Opening hours' });
  await make(`/v1/knowledgebases/${base.id}/documents`, {
    title: name ?? 'Hours',
    text: 'We open at nine and close at five.',
  });
  const cast = await make('/v1/cast/projects', {
    title: name ?? 'Two friends',
    script: 'Ann: Hello.\nBen: Good day.',
  });
  const from = await freeNumber(url, by);
  await make('/v1/telephony/numbers', { phone_number: from, agent_id: agent.id });
  const targets = [{ to: '+15005550001' }];
  const plan = { name: name ?? 'Reminders', from, agent_id: agent.id, targets };
  const campaign = await make('/v1/telephony/campaigns', plan);
  const opened = await make('/v1/telephony/compliance-cases', {
    kind: 'new_number',
    country: 'US',
    number_type: 'local',
    capabilities: ['voice'],
    use_case: 'reception',
  });
  await make('/v1/trace/interactions', {
    transcript: {
      turns: [
        { speaker: 'agent', text: 'Hello, how can I help?' },
        { speaker: 'customer', text: 'I want my money back.' },
      ],
    },
  });
  await make('/v1/recap/scorecards', {
    name: name ?? 'Listening',
    criteria: [
      { id: 'listens', text: 'Listens', kind: 'yes_no', by: 'metric', metric: 'agent_talk_share', most: 0.5 },
    ],
  });
  return { agent: agent.id, base: base.id, cast: cast.id, opened: opened.id, campaign: campaign.id };
}

async function freeNumber(url: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(`${url}/v1/telephony/available-numbers?country=US&limit=1`, { headers });
  return ((await answer.json()) as Json).data[0].phone_number;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits until the page that the address names shows its data; the network may stay busy. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.locator('h1').waitFor();
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
}

export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
