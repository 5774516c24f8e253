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

    await page.getByLabel('Who the agent is').fill('You call {{name}} about bread.');
    await page.getByRole('checkbox', { name: 'Keep it as a draft' }).check();
    await settings.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^3 draft/ }).waitFor();
    await page.getByText('What the model is told').click();
    await page.getByLabel('Version', { exact: true }).selectOption('3');
    await page.getByText('You call {{name}} about bread.', { exact: false }).last().waitFor();
    await page.getByRole('group', { name: 'Variables of a telephone call' }).getByLabel('name').fill('Alice');
    await page.locator('pre').filter({ hasText: 'You call Alice about bread.' }).waitFor();
    expect(await violations(page)).toEqual([]);
  }, 120_000);

  // @requirement Console: The console edits an agent's records, and shows what a call does with a name that is nearly right.
  it('reads records from a table, keeps what is typed beside them, and offers what sounds alike', async () => {
    const server = new Running(['serve']);
    const [, url] = await server.line(/^ready (http:\S+)/);
    const { page, complaints } = await look(url as string);
    await signUp(page, person('records'));
    await page.getByRole('button', { name: 'To your first call' }).click();
    await page.evaluate(`location.hash = '#/home'`);
    await page.getByRole('button', { name: 'Make an agent' }).click();
    await page.getByRole('link', { name: 'Change this agent' }).click();
    await page.getByLabel('Greeting').fill('Good evening.');

    await page.getByText('Your records').click();
    await page.getByRole('button', { name: 'Add records' }).click();
    const editor = page.getByRole('form', { name: 'Add records' });
    await editor.getByLabel('Name').fill('customers');
    await editor.getByLabel('A table (CSV)').setInputFiles({
      name: 'customers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'number;customer;said\nc-17;Schmidt;\nc-18;Schmitt;\nc-19;"Trunkline; Bonn";phones|the telephone company\n',
      ),
    });
    await editor.getByText('3 rows are read.').waitFor();
    await editor.getByLabel('Column of the value').selectOption({ label: 'customer' });
    await editor.getByLabel('Column of your own ID').selectOption({ label: 'number' });
    await editor.getByLabel('Column of other ways').selectOption({ label: 'said' });
    await editor.getByRole('cell', { name: 'phones, the telephone company' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await editor.getByRole('button', { name: 'Save the records' }).click();

    await page.getByRole('button', { name: 'Try it customers' }).click();
    expect(await page.getByLabel('Greeting').inputValue(), 'what was typed beside it').toBe('Good evening.');
    const trial = page.getByRole('region', { name: 'Try customers' });
    await trial.getByText('Could you tell me your name, please?').waitFor();
    await trial.getByLabel('What the caller says').fill('Schmit');
    await trial.getByRole('button', { name: 'Say it' }).click();
    await trial.getByText(/Schmidt.*Schmitt/).waitFor();
    await trial.getByLabel('What the caller says').fill('the second');
    await trial.getByRole('button', { name: 'Say it' }).click();
    await trial.getByText('The call is over.').waitFor();
    await trial.locator('.agent').getByText('Schmitt', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Change customers' }).click();
    const text = editor.getByLabel('Or rows, one a line');
    expect(await text.inputValue()).toBe(
      'value,id,label,spoken\nSchmidt,c-17,,\nSchmitt,c-18,,\n"Trunkline; Bonn",c-19,,phones|the telephone company',
    );
    await text.fill('Weber\nWeber');
    await editor.getByRole('button', { name: 'Save the records' }).click();
    await editor.getByRole('alert').getByText('Row 1 has the same value and label as row 0').waitFor();
    await text.fill('Weber');
    await editor.getByRole('button', { name: 'Save the records' }).click();
    await editor.waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: 'customers' });
    await row.getByRole('cell', { name: '1', exact: true }).waitFor();
    await row.getByRole('button', { name: /^Remove/ }).click();
    await row.getByRole('button', { name: /^Confirm: Remove/ }).click();
    await row.waitFor({ state: 'detached' });
    // The home page asks for numbers, which a server without telephony does not have.
    const expected = /status of 400|status of 404 .*\/v1\/telephony\/numbers\?limit=1$/;
    expect(complaints.filter((one) => !expected.test(one))).toEqual([]);
  }, 120_000);
});
