// @requirement Console: A person signs in by OpenID Connect.
// @requirement Console: The console shows a key once, and revokes it.
// @requirement Console: Each page passes axe, works by keyboard, in dark and light, on a phone's width.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { freePort } from '../../free-port.ts';
import { compileProgram, Running, root } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { follow, press, type } from './keys.ts';
import { look, person, signUp, violations } from './seeded.ts';

let url = '';
let stop = () => {};

async function openProvider(redirectUri: string): Promise<string> {
  const child = spawn(process.execPath, ['test/foundation/access/provider.mjs', redirectUri], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  stop = () => child.kill();
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the provider did not begin');
}

beforeAll(async () => {
  if (browserAbsent) return;
  await compileProgram();
  await builtConsole();
  const port = await freePort();
  const issuer = await openProvider(`http://127.0.0.1:${port}/auth/oidc/callback`);
  const server = new Running(['serve'], {
    TRUNKLINE_CARRIER: 'loopback',
    TRUNKLINE_PORT: String(port),
    TRUNKLINE_OIDC_ISSUER: issuer,
    TRUNKLINE_OIDC_CLIENT_ID: 'trunkline',
    TRUNKLINE_OIDC_CLIENT_SECRET: 'a secret of the test',
  });
  url = (await server.line(/^ready (http:\S+)/))[1] as string;
}, 180_000);
afterAll(() => stop());

/** The provider's own pages load fonts from elsewhere. */
async function openConsole(): Promise<Page> {
  const { page } = await look(url);
  await page.context().route(/^https:/, (route) => route.abort());
  return page;
}

const organization = (page: Page) => page.getByRole('link', { name: 'Sign in with your organization' });
const home = (page: Page) => page.getByRole('heading', { name: 'Your first call' }).waitFor();

async function atProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('x');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

describe.skipIf(browserAbsent)('signing in at the identity provider', () => {
  it('leads there and back, to a session that stays, and says why it was refused', async () => {
    const page = await openConsole();
    await press(page, organization(page));
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('The identity provider did not confirm the sign-in.').waitFor();
    expect(page.url()).toBe(`${url}/console`);
    expect(await violations(page)).toEqual([]);

    await press(page, organization(page));
    await atProvider(page, 'ida@example.com');
    await home(page);
    await page.getByText('ida@example.com').waitFor();
    await page.reload();
    await home(page);
    await follow(page, 'Your sessions');
    await page.getByRole('row').filter({ hasText: 'Yes' }).waitFor();
    await press(page, page.getByRole('button', { name: 'Sign out' }));
    await page.getByRole('heading', { name: 'Sign in to Trunkline' }).waitFor();
  }, 180_000);

  it('takes over no account with a password, until its person joins the two', async () => {
    const page = await openConsole();
    const rob = person('rob');
    await signUp(page, rob);
    await press(page, page.getByRole('button', { name: 'To your first call' }));
    await press(page, page.getByRole('button', { name: 'Sign out' }));
    await press(page, organization(page));
    await atProvider(page, rob.email);
    await page.getByRole('alert').getByText('There is an account with this e-mail address.').waitFor();

    await type(page, page.getByLabel('E-mail'), rob.email);
    await type(page, page.getByLabel('Password'), rob.password);
    await page.keyboard.press('Enter');
    await home(page);
    await follow(page, 'Your sessions');
    const join = page.getByRole('link', { name: 'Join this account to your organization’s sign-in' });
    await Promise.all([page.waitForURL(`${url}/console`), press(page, join)]);
    await home(page);
    await press(page, page.getByRole('button', { name: 'Sign out' }));
    await press(page, organization(page));
    await home(page);
    await page.getByText(rob.email).waitFor();
  }, 180_000);
});
