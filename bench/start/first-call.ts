/**
 * Measures from `npm start` on an empty data folder to the agent's first words in a browser, by the pages that a new
 * user sees.
 */
import { chromium, type Page } from 'playwright-core';
import { runBench } from '../harness/index.ts';
import { withStartedServer } from './started-server.ts';

const PROGRAM = '/usr/bin/chromium';
const GOAL_S = 120;
const DEADLINE_MS = 300_000;

type Steps = [name: string, seconds: number][];

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

async function walk(page: Page, url: string, reached: (step: string) => void): Promise<void> {
  await page.goto(`${url}/console`);
  await press(page, 'Create an account');
  await page.getByLabel('E-mail').fill('newcomer@example.com');
  await page.getByLabel('Password').fill('correct horse battery');
  await press(page, 'Create the account');
  await press(page, 'To your first call');
  reached('an account is made');
  await press(page, 'Make an agent');
  await press(page, 'Call');
  reached('the call is begun');
  await page.getByRole('log').getByText('Hello, this is your first agent').waitFor();
  reached('the agent’s first words are shown');
}

async function firstCall(): Promise<Steps> {
  const steps: Steps = [];
  const began = performance.now();
  const reached = (step: string): void => {
    steps.push([step, (performance.now() - began) / 1000]);
  };
  await withStartedServer(['npm', 'start', '--silent'], async (url) => {
    reached('the server is ready');
    const browser = await chromium.launch({
      executablePath: PROGRAM,
      args: ['--no-sandbox', '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'],
    });
    const page = await browser.newPage();
    page.setDefaultTimeout(DEADLINE_MS);
    await walk(page, url, reached);
    await browser.close();
  });
  return steps;
}

await runBench('first-call', 'The first call', async (page) => {
  const steps = await firstCall();
  for (const [at, [name, value]] of steps.entries())
    page.figure({ name, value, unit: 's', ...(at === steps.length - 1 ? { goal: { below: GOAL_S } } : {}) });
  page.text(
    'From `npm start` on an empty data folder, set up before. The pages are pressed by a program as soon as they allow it: a person adds the time to read and to type.',
  );
});
