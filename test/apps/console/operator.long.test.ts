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

describe.skipIf(browserAbsent)('the operator’s pages', () => {
  it('asks for the operator’s token, and changes entitlements, plans and prices, and shows the nodes', async () => {
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
    await row.getByRole('button', { name: 'Revoke telephony' }).click();
    await row.getByRole('button', { name: 'Confirm: Revoke telephony' }).click();
    await row.getByRole('cell', { name: '–', exact: true }).waitFor();
    await page.getByLabel('Name or id').fill('nobody');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No organization has this name or id.').waitFor();

    await page.evaluate(`location.hash = '#/plans'`);
    await page.getByLabel('Name', { exact: true }).fill('small');
    await page.getByLabel('Concurrent live sessions').fill('3');
    await page.getByRole('button', { name: 'Save' }).first().click();
    const small = page.getByRole('row').filter({ hasText: 'small' });
    await small.getByRole('cell', { name: '3', exact: true }).waitFor();
    await page.getByLabel('From month').fill('2999-01');
    await page.getByLabel('Millionths of the currency').fill('250');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByRole('row').filter({ hasText: '2999-01' }).getByRole('cell', { name: '250' }).waitFor();
    expect(await violations(page)).toEqual([]);

    await page.evaluate(`location.hash = '#/organizations'`);
    await page.getByRole('button', { name: 'Move to plan small' }).click();
    await page.getByRole('button', { name: 'Confirm: Move to plan small' }).click();
    await row.getByRole('cell', { name: 'small', exact: true }).waitFor();

    await page.evaluate(`location.hash = '#/server'`);
    await page.getByRole('row').filter({ hasText: '(this node)' }).getByText('ready').waitFor();
    await page.getByText('Every delivery of the last 24 hours has arrived.').waitFor();
    await page.getByText('There are no dead-letter jobs.').waitFor();
    await page.getByRole('row').filter({ hasText: 'hibari' }).first().waitFor();
    expect(await violations(page)).toEqual([]);

    // @requirement Operations: The operator reads what `doctor` says over a route, and the licence of each model.
    const licences = page.getByRole('table', { name: 'Licences of the models' });
    await licences
      .getByRole('row')
      .filter({ hasText: 'Silero VAD' })
      .getByText('MIT', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Run the checks' }).click();
    const checks = page.getByRole('table', { name: 'What works on this machine' });
    await checks.getByRole('row').filter({ hasText: 'node' }).first().waitFor({ timeout: 120_000 });
    await page.getByText(/Checked .* on node_/).waitFor();
    expect(await violations(page)).toEqual([]);

    await page.evaluate(`location.hash = '#/models'`);
    await page.getByText('No model was added.').waitFor();
    await page.getByLabel('Source').fill('/nowhere/at/all');
    await page.getByLabel('I have read the licence').check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row').filter({ hasText: '/nowhere/at/all' }).getByText('failed').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  }, 240_000);
});
