// @requirement Console: One process serves the console at `/console`, from no other host.
// @requirement Console: The console has jobs, dubs, webhooks, numbers, messages, integrations, the audit log and knowledge gaps.
// @requirement Platform: The page at `/` shows the state, the documentation and a call button.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { absent } from '../../edge/surfaces/omni/server.ts';
import { itLong, long } from '../../long-tests.ts';
import { compileProgram, root } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { pagesOf } from './pages.ts';
import { look, person, seed, serve, settled, signUp, violations } from './seeded.ts';
import { rowsOf } from './tables.ts';

/** All pages and eight languages together, which nobody fetches at once: it shows growth that nobody meant. */
const MOST_BYTES = 330_000;
/** The first page needs no more than this: the console fetches every other page separately. */
const MOST_FIRST_BYTES = 120_000;
interface PageSound {
  readonly readyState: number;
  readonly duration: number;
  addEventListener(event: string, listener: (reported: unknown) => void): void;
}
const BUILT = join(root, 'dist-console/assets');

beforeAll(async () => {
  await compileProgram();
  await builtConsole();
}, 180_000);

// @requirement Console: The console is below 330 kB compressed.
it('is below 330 kB, compressed, with every language', () => {
  const files = readdirSync(BUILT).filter((name) => name.endsWith('.br'));
  const sizes = files.map((name) => readFileSync(join(BUILT, name)).byteLength);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MOST_BYTES);
  for (const name of files)
    expect(brotliDecompressSync(readFileSync(join(BUILT, name)))).toEqual(
      readFileSync(join(BUILT, name.replace(/\.br$/, ''))),
    );
});

describe.skipIf(browserAbsent || Boolean(absent))('in a browser', () => {
  let url = '';
  beforeAll(async () => {
    url = await serve();
  }, 180_000);

  const fetched = (page: Page) =>
    page.evaluate(
      'performance.getEntriesByType("resource").map(({ name, transferSize }) => [name, transferSize])',
    ) as Promise<[string, number][]>;
  const bringsAnalytics = async (page: Page) =>
    (await fetched(page)).some(([name]) => /analytics-/.test(name));

  // @requirement Console: The console builds agents, with versions, traffic, tools and knowledge.
  // @requirement Console: The first page leads a new account to a call.
  it('leads from an account to a call and its record', async () => {
    const { page, complaints } = await look(url);
    await page.getByRole('heading', { name: 'Sign in to Trunkline' }).waitFor();
    const bytes = (await fetched(page)).reduce((sum, [, size]) => sum + size, 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(MOST_FIRST_BYTES);
    await signUp(page, person('ada'));
    expect(await page.locator('code').textContent()).toMatch(/^svc_test_/);
    await page.getByRole('button', { name: 'To your first call' }).click();
    await page.getByRole('button', { name: 'Make an agent' }).click();
    const watching = await page.context().newPage();
    await watching.goto(`${page.url().split('#')[0]}#/live`);
    await watching.getByText('No call is in progress.').waitFor();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByRole('log').getByText('Hello, this is your first agent').waitFor({ timeout: 60_000 });
    const greeting = watching.getByRole('listitem').filter({ hasText: 'Hello, this is your first agent' });
    await greeting.filter({ hasNotText: 'speaking' }).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Hang up' }).click();
    await watching.getByRole('link', { name: 'See the record' }).click();
    await watching.getByRole('heading', { name: /^Call of/ }).waitFor({ timeout: 30_000 });
    await watching.getByText('Hello, this is your first agent').first().waitFor();

    // The browser fetches each page separately, and the console counts the call.
    expect(await bringsAnalytics(watching)).toBe(false);
    await watching.getByRole('link', { name: 'Analytics', exact: true }).click();
    await watching.getByRole('heading', { name: 'Analytics' }).waitFor();
    expect(await bringsAnalytics(watching)).toBe(true);
    await watching.getByRole('region', { name: 'Calls', exact: true }).getByText('1').waitFor();
    await watching.getByRole('cell', { name: 'First agent' }).waitFor();
    const [row] = await rowsOf(watching, 'Compared');
    expect(row?.slice(0, 4)).toEqual(['First agent', '1', '100%', '100%']);
    await watching.keyboard.press('Control+k');
    await watching.getByRole('combobox', { name: 'Go to a page' }).fill('hom');
    await watching.keyboard.press('Enter');
    await watching.getByRole('heading', { name: 'Home' }).waitFor();
    const today = watching.getByRole('region', { name: 'Calls today' });
    await today.getByText('1 in seven days').waitFor();
    expect(complaints).toEqual([]);
  }, 180_000);

  // @requirement Browser calls: `/demo` lets a visitor talk to an agent.
  it('lets a newcomer talk to it from the demonstration', async () => {
    const { page, complaints } = await look(url);
    await page.goto(`${url}/demo`);
    await page.getByRole('button', { name: 'Call' }).click();
    const log = page.getByRole('log', { name: 'Conversation' });
    await log.getByText('Agent: Hello, this is the corner bakery.').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Hang up' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Call ended');
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 120_000);

  // @requirement Console: A person signs in by password, and out.
  it('makes a key, shows it once, and revokes it', async () => {
    const { page } = await look(url);
    await signUp(page, person('ben'));
    await page.goto(`${page.url().split('#')[0]}#/keys`);
    await page.reload();
    await page.getByText('Create a key').click();
    await page.getByLabel('Name', { exact: true }).fill('Of the shop');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const text = (await page.locator('.once code').textContent()) as string;
    expect(text).toMatch(/^svc_test_\w{63}$/);
    const row = page.getByRole('row').filter({ hasText: 'Of the shop' });
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await row.getByRole('button', { name: /^Confirm: Revoke/ }).click();
    await row.getByText('revoked').waitFor();
    const origin = new URL(page.url()).origin;
    const answer = await fetch(`${origin}/v1/me`, { headers: { authorization: `Bearer ${text}` } });
    expect(answer.status).toBe(401);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Trunkline' }).waitFor();
    await page.getByRole('link', { name: 'Sign in with your organization' }).click();
    await page.getByRole('alert').getByText('This server has no identity provider.').waitFor();
  }, 120_000);

  // @requirement Compliance cases: A transfer in India waits until an owner or admin releases it.
  // @requirement Console: The console runs campaigns and compliance cases.
  itLong(
    'takes what a case asks to attest from the person who is signed in',
    async () => {
      const { page, complaints } = await look(url);
      const who = person('lin');
      await signUp(page, who);
      const { opened } = await seed(url, who);
      await page.goto(`${url}/console#/cases/${opened}`);
      await page.reload();
      const attest = page.getByRole('button', { name: /^I attest this/ });
      await attest.first().waitFor();
      for (let left = await attest.count(); left > 0; left -= 1) {
        await attest.first().click();
        await expect.poll(() => attest.count()).toBe(left - 1);
      }
      await page.getByText('The whole record').click();
      const { attestations, attestation_requests: asked } = JSON.parse(
        (await page.locator('details pre').textContent()) as string,
      );
      expect(attestations).toHaveLength(asked.length);
      for (const { accepted_by } of attestations) expect(accepted_by.kind).toBe('user');
      await page.getByRole('button', { name: 'Withdraw the case' }).click();
      await page.getByRole('button', { name: 'Confirm: Withdraw the case' }).click();
      await page.getByText('cancelled').first().waitFor();
      expect(complaints).toEqual([]);
    },
    120_000,
  );

  // @requirement Cast: The console edits and renders casts.
  itLong(
    'directs a line of a cast anew, and plays what it renders',
    async () => {
      const { page, complaints } = await look(url);
      const who = person('may');
      await signUp(page, who);
      const { cast } = await seed(url, who);
      await page.goto(`${url}/console#/cast/${cast}`);
      await page.reload();
      const line = page.locator('details').filter({ hasText: 'Ben: Good day.' });
      await line.locator('summary').click();
      await line.getByLabel('Words').fill('Good evening, Ann.');
      await line.getByLabel('Emotion').selectOption('neutral');
      await line.getByLabel('Pace').fill('1.2');
      await line.getByRole('button', { name: 'Save' }).click();
      await page.locator('summary').filter({ hasText: 'Ben: Good evening, Ann.' }).click();
      expect(await page.getByLabel('Pace').last().inputValue()).toBe('1.2');
      await page.getByRole('button', { name: 'Render' }).click();
      const row = page.getByRole('row').filter({ hasText: 'completed' });
      await row.waitFor({ timeout: 90_000 });
      await row.getByRole('button', { name: /^Listen/ }).click();
      const sound = row.locator('audio');
      await sound.waitFor({ state: 'attached' });
      const played = await sound.evaluate(async (of: PageSound) => {
        if (of.readyState < 1) await new Promise((known) => of.addEventListener('loadedmetadata', known));
        return of.duration;
      });
      expect(played).toBeGreaterThan(1);
      expect(complaints).toEqual([]);
    },
    180_000,
  );

  // @requirement Console: The console shows the organization, members, usage, money and limits.
  // @requirement Console: Each page passes axe, works by keyboard, in dark and light, on a phone's width.
  itLong(
    'has no page that axe complains of, that a phone cuts off, or that refuses',
    async () => {
      const { page, complaints } = await look(url);
      await page.locator('h1').waitFor();
      expect(await violations(page)).toEqual([]);
      const who = person('eve');
      await signUp(page, who);
      const ids = await seed(url, who);
      const looks = [
        { width: 1280, theme: 'light', language: 'en' },
        { width: 390, theme: 'dark', language: 'es' },
      ];
      const faults: string[] = [];
      for (const [nth, { width, theme, language }] of looks.entries()) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(
          `localStorage.setItem('trunkline.theme', '${theme}'); localStorage.setItem('trunkline.language', '${language}')`,
        );
        await page.goto(`${url}/console`);
        await page.reload();
        await page.locator('h1').waitFor();
        const pages = pagesOf(ids).filter((_name, at) => long || at % looks.length === nth);
        for (const name of pages) {
          await page.evaluate(`location.hash = '#/${name}'`);
          await settled(page);
          const said = (fault: string) => faults.push(`${name} at ${width}: ${fault}`);
          for (const fault of await violations(page)) said(fault);
          for (const alert of await page.locator('main [role=alert]').allTextContents())
            if (alert) said(alert);
          const wide = await page.evaluate('document.documentElement.scrollWidth');
          if ((wide as number) > width) said(`is ${wide} wide`);
        }
        expect(await page.getAttribute('html', 'lang')).toBe(language);
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
    },
    400_000,
  );
});
