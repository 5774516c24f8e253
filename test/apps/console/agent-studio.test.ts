import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram, Running } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, signUp, violations } from './seeded.ts';

beforeAll(async () => {
  await compileProgram();
  await builtConsole();
}, 180_000);

describe.skipIf(browserAbsent)('the page of an agent', () => {
  it('compares versions, and publishes none that has not passed the suite it demands', async () => {
    const server = new Running(['serve']);
    const [, url] = await server.line(/^ready (http:\S+)/);
    const { page } = await look(url as string);
    await signUp(page, person('studio'));
    await page.getByRole('button', { name: 'To your first call' }).click();
    await page.evaluate(`location.hash = '#/home'`);
    await page.getByRole('button', { name: 'Make an agent' }).click();
    await page.getByRole('link', { name: 'Change this agent' }).click();
    await page.getByLabel('Who the agent is').fill('You sell bread.\nYou are brief.');
    const settings = page.locator('form').filter({ has: page.getByLabel('Who the agent is') });
    await settings.getByRole('button', { name: 'Save' }).click();
    const compared = page.getByRole('region', { name: 'persona' });
    await compared.getByText('+ You sell bread.').waitFor();
    await compared.getByText('− You are a friendly receptionist.').waitFor();
    await page.getByText('Neither version has had a call.').waitFor();
    await page.getByLabel('After').selectOption('1');
    await page.getByText('The two versions are the same.').waitFor();

    await page.getByText('Suite that a version must pass').click();
    await page.getByLabel('Name of the suite').fill('Opening hours');
    const gate = page.locator('form').filter({ has: page.getByLabel('Name of the suite') });
    await gate.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No suite was played yet.').waitFor();
    await page.getByRole('row', { name: /^1 / }).getByRole('button', { name: 'Serve all calls' }).click();
    await page.getByRole('alert').filter({ hasText: 'Opening hours' }).waitFor();
    expect(await violations(page)).toEqual([]);
  }, 120_000);
});
