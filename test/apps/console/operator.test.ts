import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram, Running } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, signUp, violations } from './seeded.ts';

const TOKEN = 'operator-token-of-the-tests';

beforeAll(async () => {
  await compileProgram();
  await builtConsole();
}, 180_000);

describe.skipIf(browserAbsent)('the operator’s page of organizations', () => {
  it('asks for the operator’s token, and grants and takes back entitlements', async () => {
    const server = new Running(['serve'], { TRUNKLINE_OPERATOR_TOKEN: TOKEN });
    const [, url] = await server.line(/^ready (http:\S+)/);
    const { page, complaints } = await look(url as string);
    await signUp(page, person('operator'));
    await page.getByRole('button', { name: 'To your first call' }).click();
    await page.evaluate(`location.hash = '#/organizations'`);
    await page.getByLabel('Operator’s token').fill('not the token of anybody');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('alert').filter({ hasText: 'not the operator’s token' }).waitFor();
    await page.getByLabel('Operator’s token').fill(TOKEN);
    await page.getByRole('button', { name: 'Open' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Analytical Engines' });
    await row.getByRole('button', { name: 'Grant telephony' }).click();
    await row.getByRole('cell', { name: 'telephony', exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await row.getByRole('button', { name: 'Take back telephony' }).click();
    await row.getByRole('button', { name: 'Really: Take back telephony' }).click();
    await row.getByRole('cell', { name: '–', exact: true }).waitFor();
    await page.getByLabel('Name or id').fill('nobody');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No organization has this name or id.').waitFor();
    expect(complaints).toEqual([]);
  }, 120_000);
});
