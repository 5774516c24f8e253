import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram, Running } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, signUp, violations } from './seeded.ts';

beforeAll(async () => {
  await compileProgram();
  await builtConsole();
}, 180_000);

describe.skipIf(browserAbsent)('the page that puts an agent on a site', () => {
  it('shows the button as chosen, allows the site, and gives the code', async () => {
    const server = new Running(['serve']);
    const [, url] = await server.line(/^ready (http:\S+)/);
    const { page, complaints } = await look(url as string);
    await signUp(page, person('embed'));
    await page.getByRole('button', { name: 'To your first call' }).click();
    await page.evaluate(`location.hash = '#/embed'`);
    await page.getByRole('button', { name: 'Make an agent' }).click();
    await page.getByLabel('Your site').fill('https://shop.example');
    await page.getByLabel('Position').selectOption('bottom-left');
    await page.getByLabel('Text of the button').fill('Talk to us');
    await page.getByLabel('Consent').fill('This call is "recorded" & kept.');
    await page.getByRole('button', { name: 'Show and allow' }).click();
    await page.getByText('Calls from https://shop.example are allowed.').waitFor();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('button', { name: 'Talk to us' }).click();
    await preview.getByText('This call is "recorded" & kept.').waitFor();
    await preview.getByRole('button', { name: 'Not now' }).click();
    await preview.getByRole('button', { name: 'Talk to us' }).waitFor();
    const code = await page.getByRole('region', { name: 'Code' }).locator('pre').textContent();
    expect(code).toContain('consent="This call is &quot;recorded&quot; &amp; kept."');
    expect(code).toContain('position="bottom-left"');
    const served = /src="([^"]+)"/.exec(code as string)?.[1] as string;
    expect((await fetch(served)).status).toBe(200);
    await page.getByRole('button', { name: 'Server', exact: true }).click();
    expect(await page.getByRole('region', { name: 'Code' }).locator('pre').textContent()).toContain(
      `origin: 'https://shop.example'`,
    );
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 120_000);
});
