import type { Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, serve, signUp, violations } from './seeded.ts';

beforeAll(async () => {
  if (browserAbsent) return;
  await compileProgram();
  await builtConsole();
}, 180_000);

const UNREACHABLE = 'The server cannot be reached. What you typed is still here: try again.';

describe.skipIf(browserAbsent)('a cut connection', () => {
  // @requirement Console: A cut connection loses nothing: what is typed stays, lists are read again, and pages open when the server is back.
  it('keeps what is typed, and opens the page that was asked for when the server is back', async () => {
    const { page, complaints } = await look(await serve());
    await signUp(page, person('ida'));
    await page.getByRole('button', { name: 'To your first call' }).click();
    await page.getByRole('button', { name: 'Make an agent' }).click();
    const versions = /\/v1\/agents\/[^/]+\/versions$/;
    await page.route(versions, (route) => route.abort('internetdisconnected'));
    await page.getByRole('link', { name: 'Change this agent' }).click();
    await page.getByLabel('Greeting').fill('Good evening.');
    const settings = page.locator('form').filter({ has: page.getByLabel('Greeting') });
    const save = settings.getByRole('button', { name: 'Save' });

    await page.context().setOffline(true);
    await save.click();
    await settings.getByRole('alert').getByText(UNREACHABLE).waitFor();
    expect(await page.getByLabel('Greeting').inputValue()).toBe('Good evening.');
    expect(await violations(page)).toEqual([]);
    const questions: string[] = [];
    page.once('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.dismiss();
    });
    await page.evaluate(`location.hash = '#/voices'`);
    await expect.poll(() => questions).toEqual(['Your changes are not saved and will be lost. Leave?']);
    expect(await page.getByLabel('Greeting').inputValue()).toBe('Good evening.');

    await page.context().setOffline(false);
    await page.unroute(versions);
    const heldReads: Route[] = [];
    let isHolding = true;
    await page.route(/\/v1\/agents\/[^/?]+$/, (route) =>
      isHolding && route.request().method() === 'GET' ? void heldReads.push(route) : route.continue(),
    );
    await save.click();
    await page.getByText('Saved: the next call is served by it.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    await expect.poll(() => heldReads.length).toBeGreaterThan(1);
    isHolding = false;
    for (const read of heldReads) await read.continue();
    await page.getByRole('row', { name: /^1 published 100%/ }).waitFor();
    await expect
      .poll(() => settings.getByLabel('Greeting').inputValue())
      .toBe('Hello, this is your first agent. What can I do for you?');

    await page.context().setOffline(true);
    await page.evaluate(`location.hash = '#/voices'`);
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.evaluate(`location.hash = '#/agents'`);
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('link', { name: 'First agent' }).waitFor();

    await page.context().setOffline(true);
    await page.evaluate(`location.hash = '#/voices'`);
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Library' }).waitFor();
    expect(complaints.filter((one) => !one.includes('net::ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  }, 180_000);
});
