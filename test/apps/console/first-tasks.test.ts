import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { numbersOf } from '../../../src/apps/console/pages/campaign-people.ts';
import { browserAbsent } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, signUp, violations } from './seeded.ts';
import { absent, BUSY, OPERATOR_TOKEN, serveTelephones } from './telephone.ts';

const HOURS = 'On Saturday we open at eight and close at two.';

beforeAll(async () => {
  if (browserAbsent) return;
  await compileProgram();
  await builtConsole();
}, 180_000);

const show = (page: Page, name: string) => page.evaluate(`location.hash = '#/${name}'`);

async function enter(name: string) {
  const { page, complaints } = await look(await serveTelephones());
  await signUp(page, person(name));
  await page.getByText('These pages do not need it.').waitFor();
  await page.getByRole('button', { name: 'To your first call' }).click();
  return { page, complaints };
}

async function makeCampaign(page: Page, name: string, from: string, until: string): Promise<void> {
  await show(page, 'campaigns');
  await page.getByText('Make a campaign').click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Calls are made from').fill(from);
  await page.getByLabel('Calls are made until').fill(until);
  await page.getByLabel('Time zone').fill('UTC');
  await page.getByLabel('Monday to Friday alone').uncheck();
  await page.getByLabel('Attempts', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name, exact: true }).waitFor();
}

async function call(page: Page, hasAgreed: boolean): Promise<void> {
  await page.getByLabel('Or numbers, one a line').fill(BUSY);
  if (hasAgreed) await page.getByLabel('Each of them agreed to be called').check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Start calling' }).click();
}

const clockOf = (hoursFromNow: number): string =>
  new Date(Date.now() + hoursFromNow * 3_600_000).toISOString().slice(11, 16);

// @requirement Console: People who agreed to be called are read from the table of a campaign.
describe('the numbers of a table of people', () => {
  it('are those of the column `to`, whatever separates and quotes the cells', () => {
    expect(numbersOf('to\n+15005550001\n+15005550002\n')).toEqual(['+15005550001', '+15005550002']);
    expect(numbersOf('\uFEFFname;To\r\n"Byron; Ada";+15005550001\r\nBob;+15005550001\r\n')).toEqual([
      '+15005550001',
    ]);
    expect(numbersOf('name\tcallback\nAda\t+15005550009\n')).toEqual([]);
    expect(numbersOf('')).toEqual([]);
  });
});

describe.skipIf(browserAbsent || absent !== '')(
  `the first tasks of a new account${absent && `: ${absent}`}`,
  () => {
    // @requirement Console: A new knowledge base leads to its documents and to the agents that answer from it.
    it('leads from a new agent to a document that it answers from, on a phone too', async () => {
      const { page, complaints } = await enter('nell');
      await page.getByRole('button', { name: 'Make an agent' }).click();
      await page.getByRole('listitem').filter({ hasText: 'Build an agent' }).getByText('Done.').waitFor();
      await page.getByRole('link', { name: 'Let it answer from your documents' }).click();
      await page.getByText('Make a knowledge base').click();
      await page.getByLabel('Name', { exact: true }).fill('Opening hours');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('heading', { name: 'Opening hours' }).waitFor();
      const file = { name: 'hours.txt', mimeType: 'text/plain', buffer: Buffer.from(HOURS) };
      await page.getByLabel('File').setInputFiles(file);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('row').filter({ hasText: 'hours.txt' }).getByText('indexed').waitFor();
      const agents = page.getByRole('region', { name: 'Agents that answer from it' });
      await agents.getByRole('button', { name: 'Answer from it First agent', exact: true }).click();
      await agents.getByRole('button', { name: 'No longer answer from it First agent' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await agents.getByRole('link', { name: 'First agent' }).click();
      const base = page.getByRole('checkbox', { name: 'Opening hours' });
      await base.waitFor();
      expect(await base.isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved: the next call is served by it.').waitFor();

      await page.setViewportSize({ width: 390, height: 844 });
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.getByRole('button', { name: 'Menu' }).click();
      const home = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Home' });
      const { y } = (await home.boundingBox()) as { y: number };
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(844);
      await page.getByRole('button', { name: 'Menu' }).click();
      await home.waitFor({ state: 'hidden' });
      expect(complaints).toEqual([]);
    }, 240_000);

    // @requirement Console: A campaign says why it calls nobody, and records consents to be called.
    it('says why a campaign calls nobody, and calls who agreed', async () => {
      const { page, complaints } = await enter('cora');
      await page.getByRole('button', { name: 'Make an agent' }).click();
      await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
      await show(page, 'numbers');
      await page.getByRole('button', { name: 'Search', exact: true }).click();
      await page
        .getByRole('button', { name: /^Take \+/ })
        .first()
        .click();
      await page.getByRole('row').filter({ hasText: 'active' }).waitFor();

      await makeCampaign(page, 'Nobody agreed', '', '');
      await call(page, false);
      await page.getByText('No consent to be called is recorded.').waitFor();
      await page.getByText('The time zone of the number is not known').waitFor();
      expect(await violations(page)).toEqual([]);
      await page.getByRole('main').getByRole('link', { name: 'Trace' }).click();
      const rules = page.getByRole('region', { name: 'Before each call' });
      expect(await rules.getByLabel('Call only people with a recorded consent').isChecked()).toBe(true);
      await rules.getByLabel('Quiet from').fill('');
      await rules.getByLabel('Quiet until').fill('');
      await rules.getByRole('button', { name: 'Save' }).click();
      await rules.getByText('Done.').waitFor();

      await makeCampaign(page, 'They agreed', '', '');
      await call(page, true);
      await page.getByRole('region', { name: 'How calls ended' }).getByText('busy').waitFor();
      await show(page, 'trace');
      const consents = page.getByRole('region', { name: 'Consents to be called' });
      const consent = consents.getByRole('row').filter({ hasText: BUSY });
      await consent.getByText('Confirmed in the console for the campaign They agreed').waitFor();
      await consent.getByRole('button', { name: /^Revoke/ }).click();
      await consent.getByRole('button', { name: /^Confirm: Revoke/ }).click();
      await consent.getByRole('button').waitFor({ state: 'detached' });
      expect(await violations(page)).toEqual([]);

      await makeCampaign(page, 'Later', clockOf(3), clockOf(4));
      await call(page, true);
      await page
        .getByText(`People are called at these hours of their own time zone: ${clockOf(3).slice(0, 2)}`)
        .waitFor();
      await page.getByRole('button', { name: 'Call at any hour' }).click();
      await page.getByRole('button', { name: 'Confirm: Call at any hour' }).click();
      await page.getByText('People are called at any hour.').waitFor();
      expect(complaints).toEqual([]);
    }, 240_000);

    // @requirement Console: Whoever lacks credit reads who adds it, and sees what each day cost.
    it('says who adds credit, has the operator add it, and shows what today cost', async () => {
      const { page, complaints } = await enter('sol');
      await show(page, 'usage');
      await page.getByRole('region', { name: 'Cost today' }).getByText('The sandbox is free.').waitFor();
      await page.getByLabel('Environment').selectOption('live');
      await page.getByText('Calls reach real people, and cost money.').waitFor();
      await show(page, 'try-speak');
      await page.getByLabel('Text', { exact: true }).fill('Hello.');
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      const refused = page.getByRole('alert').filter({ hasText: 'The operator of this server adds credit:' });
      await refused.getByRole('link', { name: 'All organizations' }).click();
      await page.getByLabel('Operator’s token').fill(OPERATOR_TOKEN);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByText('Add prepaid credit').click();
      await page.getByLabel('Amount').fill('12.5');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('The balance is 12.50.').waitFor();
      expect(await violations(page)).toEqual([]);
      await show(page, 'try-speak');
      await page.getByLabel('Text', { exact: true }).fill('Hello.');
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      await page.locator('audio').waitFor();
      const today = page.getByRole('region', { name: 'Cost today' });
      await expect
        .poll(
          async () => {
            await show(page, 'home');
            await page.getByRole('heading', { name: 'Home' }).waitFor();
            await show(page, 'usage');
            await today.getByText(/^\d+\.\d+/).waitFor();
            return await today.getByText(/^0\.\d*[1-9]/).count();
          },
          { timeout: 60_000, interval: 1000 },
        )
        .toBe(1);
      await page.getByRole('figure', { name: 'Costs by day' }).waitFor();
      expect(await violations(page)).toEqual([]);
      expect(complaints.filter((one) => !/status of 402/.test(one))).toEqual([]);
    }, 240_000);
  },
);
