import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, signUp, violations } from './seeded.ts';
import { absent, serveTelephones } from './telephone.ts';

beforeAll(async () => {
  if (browserAbsent) return;
  await compileProgram();
  await builtConsole();
}, 180_000);

const show = (page: Page, name: string) => page.evaluate(`location.hash = '#/${name}'`);

async function enter(name: string, more: Record<string, string> = {}) {
  const { page, complaints } = await look(await serveTelephones(more));
  await signUp(page, person(name));
  await page.getByRole('button', { name: 'To your first call' }).click();
  return { page, complaints };
}

const suite = (page: Page) => page.getByRole('form', { name: 'Suite' });
const runSuite = (page: Page) => suite(page).getByRole('button', { name: 'Run the suite' }).click();
const runs = (page: Page) => page.getByRole('row').filter({ hasText: 'First suite' });

describe.skipIf(browserAbsent || absent !== '')(`suites in the console${absent && `: ${absent}`}`, () => {
  // @requirement Console: A page writes, runs and records suites of agents, and publishes versions that passed.
  it('runs a suite against a draft, says why it failed, and publishes what passed', async () => {
    const { page, complaints } = await enter('tess', { TRUNKLINE_MCP: 'true' });
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tests' }).click();
    await page.getByText('A test needs an agent to call.').waitFor();
    await page.getByRole('button', { name: 'Make an agent' }).click();
    await page.getByLabel('Name of the suite').fill('First suite');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('No suite was played yet.').waitFor();
    await page.getByLabel('Agent', { exact: true }).waitFor();

    await show(page, 'agents');
    await page.getByRole('link', { name: 'First agent' }).click();
    await page.getByLabel('Greeting').fill('Good evening.');
    await page.getByRole('checkbox', { name: 'Keep it as a draft' }).check();
    const settings = page.locator('form').filter({ has: page.getByLabel('Greeting') });
    await settings.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /^2 draft/ }).waitFor();
    await page.getByRole('link', { name: 'Write and run suites' }).click();

    const yaml = page.getByLabel('Suite (YAML)');
    const example = await yaml.inputValue();
    await expect.poll(() => page.getByLabel('Version', { exact: true }).inputValue()).toBe('2');
    await yaml.fill(example.replace('within_ms: 6000', 'says: rhinoceros'));
    await runSuite(page);
    const scenario = page.getByRole('region', { name: 'asks when you are open', exact: true });
    await scenario.getByText('says “rhinoceros”; got:').waitFor();
    await runs(page).getByText('failed').waitFor();
    await page.getByRole('button', { name: 'Serve all calls' }).waitFor({ state: 'detached' });
    expect(await violations(page)).toEqual([]);

    await page.reload();
    await scenario.getByText('says “rhinoceros”; got:').waitFor();
    expect(await yaml.inputValue()).toContain('rhinoceros');
    await page.getByRole('button', { name: 'Load an example' }).click();
    expect(await yaml.inputValue()).toBe(example);
    await runSuite(page);
    await page.getByText('First suite, version 2: passed').waitFor();
    await expect.poll(() => runs(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Serve all calls' }).click();
    await page.getByRole('option', { name: '2 (serves calls)' }).waitFor({ state: 'attached' });

    await scenario.getByRole('link', { name: 'Its call, second by second' }).click();
    await page.getByRole('button', { name: 'Run it as a test' }).click();
    await suite(page).waitFor();
    expect(await yaml.inputValue()).toMatch(/say: "Hello. when are you open."/i);
    await yaml.fill('name: [');
    await runSuite(page);
    await suite(page).getByRole('alert').waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);

  it('says where the server plays no suites, and keeps what is written', async () => {
    const { page, complaints } = await enter('tom');
    await show(page, 'tests');
    await page.getByRole('button', { name: 'Make an agent' }).click();
    await runSuite(page);
    await suite(page).getByRole('alert').getByText('TRUNKLINE_MCP=true').waitFor();
    await suite(page).getByText('The same from a program').click();
    await suite(page).getByText('npx trunkline test suite.yaml').waitFor();
    expect(complaints.filter((one) => !/status of 404 .*\/mcp$/.test(one))).toEqual([]);
  }, 180_000);
});

describe.skipIf(browserAbsent || absent !== '')(`empty pages that teach${absent && `: ${absent}`}`, () => {
  // @requirement Console: Empty pages explain themselves, load an example by one click, and show the same as curl and code.
  it('judges an example by one click, and shows the same as curl, JavaScript and Python', async () => {
    const { page, complaints } = await enter('tracy');
    await show(page, 'trace');
    await page.getByText('Trace judges each call when it ends.').waitFor();
    await page.getByText('The same from a program').click();
    for (const [name, line] of [
      ['curl', "curl -X POST '"],
      ['JavaScript', 'const answer = await fetch('],
      ['Python', 'urllib.request.Request('],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.locator('pre').filter({ hasText: line }).waitFor();
    }
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Load an example' }).click();
    await page
      .getByRole('region', { name: 'Violations' })
      .getByRole('cell', { name: 'PII' })
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'Conversations' }).getByText('violations').waitFor();
    expect(complaints).toEqual([]);
  }, 180_000);

  it('shows a call of this browser on the page of live calls', async () => {
    const { page, complaints } = await enter('lia');
    await show(page, 'live');
    await page.getByText('No call is in progress.').waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Make an agent' }).click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const call = page.getByRole('region', { name: /^Call ocl_/ });
    await call.getByRole('button', { name: 'Listen in' }).waitFor();
    await call.getByText('Hello, this is your first agent.').waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await call.getByRole('button', { name: 'Listen in' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  }, 180_000);
});
