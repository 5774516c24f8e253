import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { numbersOf } from '../../../src/apps/console/pages/campaign-people.ts';
import { browserAbsent } from '../../browser.ts';
import { compileProgram, Running } from '../../running-server.ts';
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

const AT_ANY_HOUR = { from: '', until: '' };

/** The form is open by itself while there is no campaign. */
async function openForm(page: Page): Promise<void> {
  await show(page, 'campaigns');
  await page.getByText('Make a campaign').click();
}

interface Hours {
  readonly from: string;
  readonly until: string;
}

async function makeCampaign(page: Page, name: string, { from, until }: Hours): Promise<void> {
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
      await agents.getByRole('link', { name: 'Talk to it First agent' }).click();
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

    // @requirement Console: A call in the browser takes values for the variables of the agent's prompt.
    it('calls an agent with a value for a variable of its greeting', async () => {
      const { page, complaints } = await enter('vera');
      await page.getByRole('button', { name: 'Make an agent' }).click();
      await page.getByRole('link', { name: 'Change this agent' }).click();
      await page.getByLabel('Greeting').fill('Hello {{name}}, this is the bakery.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('group', { name: 'Variables of this call' }).getByLabel('name').fill('Alice');
      const talk = page.getByRole('region', { name: 'Talk to the agent' });
      await talk.getByRole('button', { name: 'Call', exact: true }).click();
      await talk.getByText('Agent: Hello Alice, this is the bakery.').waitFor();
      await talk.getByRole('button', { name: 'Hang up' }).click();
      expect(await violations(page)).toEqual([]);
      expect(complaints).toEqual([]);
    }, 240_000);

    // @requirement Console: A server without a carrier says how to get telephone numbers.
    it('says what a server without a carrier lacks, and how to start it with trial numbers', async () => {
      const server = new Running(['serve'], { TRUNKLINE_TRUSTED_PROXIES: '127.0.0.1' });
      const [, url] = await server.line(/^ready (http:\S+)/);
      const { page } = await look(url as string);
      await signUp(page, person('tess'));
      await page.getByRole('button', { name: 'To your first call' }).click();
      for (const name of ['campaigns', 'numbers']) {
        await show(page, name);
        await page.getByText('This server was started without a carrier').waitFor();
        await page.getByText('TRUNKLINE_CARRIER=loopback npm start').waitFor();
        expect(await page.getByRole('alert').count()).toBe(0);
        expect(await violations(page)).toEqual([]);
      }
      await show(page, 'live');
      await page.getByText('No call is in progress.').waitFor();
      expect(await page.getByRole('alert').filter({ hasText: 'There is no route' }).count()).toBe(0);
    }, 240_000);

    // @requirement Console: A campaign says why it calls nobody, and records consents to be called.
    it('says why a campaign calls nobody, and calls who agreed', async () => {
      const { page, complaints } = await enter('cora');
      await show(page, 'campaigns');
      await page.getByRole('button', { name: 'Make an agent' }).click();
      await page.getByRole('button', { name: 'Make an agent' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Take a trial number' }).click();
      await makeCampaign(page, 'Nobody agreed', AT_ANY_HOUR);
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

      await openForm(page);
      await makeCampaign(page, 'They agreed', AT_ANY_HOUR);
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

      await openForm(page);
      await makeCampaign(page, 'Later', { from: clockOf(3), until: clockOf(4) });
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
