// @requirement Console: Tables are filtered, their columns chosen, and many rows acted on, remembered for each person.
import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, serve, signUp, violations } from './seeded.ts';
import { rowsOf } from './tables.ts';
import { Office } from './telephone.ts';

beforeAll(async () => {
  await compileProgram();
  await builtConsole();
}, 180_000);

describe.skipIf(browserAbsent)('tables', () => {
  it('are filtered and arranged, remember it for each person, and act on many rows', async () => {
    const url = await serve();
    const { page, complaints } = await look(url);
    const who = person('tabea');
    await signUp(page, who);
    const office = await Office.open(url, who);
    const free = await office.send('GET', '/v1/telephony/available-numbers?country=US&limit=1');
    const other = free.data[0].phone_number;
    await office.send('POST', '/v1/telephony/numbers', { phone_number: other });
    const show = async () => {
      await page.goto(`${url}/console#/numbers`);
      await page.reload();
      await page.getByRole('columnheader', { name: 'Country' }).first().waitFor();
    };
    await show();
    const filter = page.getByRole('searchbox', { name: 'Filter Numbers' });
    const carrier = page.getByRole('columnheader', { name: 'Carrier', exact: true });
    expect(await rowsOf(page, 'Numbers')).toHaveLength(2);
    await filter.fill(`active ${other}`);
    await page.getByText('1 of 2 rows').waitFor();
    expect((await rowsOf(page, 'Numbers')).map(([, number]) => number)).toEqual([other]);
    await filter.fill('no such words');
    await page.getByText('No row matches.').waitFor();
    await filter.fill(other);
    await page.getByText('Columns').first().click();
    await page.getByRole('checkbox', { name: 'Carrier' }).uncheck();
    await carrier.waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);
    await show();
    expect(await filter.inputValue()).toBe(other);
    expect(await carrier.count()).toBe(0);
    await page.evaluate(
      `Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }`,
    );
    await filter.fill('');
    await expect.poll(() => rowsOf(page, 'Numbers')).toHaveLength(2);
    await page.getByRole('checkbox', { name: 'Choose all rows' }).first().check();
    await page.getByText('2 chosen').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Release (2)', exact: true }).click();
    await page.getByRole('button', { name: 'Confirm: Release (2)', exact: true }).click();
    await page.getByText('Release: 2 of 2 done.').waitFor();
    const { data } = await office.send('GET', '/v1/telephony/numbers');
    expect(data.filter(({ status }: { status: string }) => status === 'active')).toEqual([]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await signUp(page, person('ulla'));
    const second = await Office.open(url, person('ulla'));
    expect(second.number).not.toBe('');
    await show();
    await carrier.waitFor();
    expect(complaints).toEqual([]);
  }, 240_000);
});
