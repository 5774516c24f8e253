import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { press, tabTo } from './keys.ts';
import { look, person, signUp, violations } from './seeded.ts';
import { rowsOf } from './tables.ts';
import { absent, Office, serveTelephones } from './telephone.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every route.
type Json = any;

/** A browser logs a refused save and a cut connection, which these journeys cause. */
const isExpected = (complaint: string): boolean => /status of 400|ERR_INTERNET_DISCONNECTED/.test(complaint);

describe.skipIf(browserAbsent || Boolean(absent))('the canvas of a flow', () => {
  let url = '';
  beforeAll(async () => {
    await compileProgram();
    await builtConsole();
    url = await serveTelephones();
  }, 300_000);

  async function open(name: string) {
    const { page, complaints } = await look(url);
    const who = person(name);
    await signUp(page, who);
    const office = await Office.open(url, who);
    const canvas = page.getByRole('group', { name: 'Steps of the flow' });
    const step = (named: RegExp | string) => canvas.getByRole('button', { name: named });
    const show = async (where = 'flow') => {
      await page.goto(`${url}/console#/agents/${office.agent}/${where}`);
      await page.reload();
      await page.locator('main h1').waitFor();
    };
    const newest = () => office.send('GET', `/v1/agents/${office.agent}?draft=true`);
    const clean = async () => {
      expect(await violations(page)).toEqual([]);
      expect(complaints.filter((one) => !isExpected(one))).toEqual([]);
    };
    return { page, office, step, show, newest, clean };
  }

  const state = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text });
  const save = (page: Page) => page.getByRole('button', { name: 'Save as a draft' });

  async function connect(page: Page, from: Locator, ...keys: string[]) {
    await from.focus();
    await page.keyboard.press('c');
    await page.getByText(/^From \w+: go to a step/).waitFor();
    for (const key of keys) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
  }

  async function middle(what: Locator) {
    await what.waitFor();
    const { x, y, width, height } = (await what.boundingBox())!;
    return { x: x + width / 2, y: y + height / 2 };
  }

  type Point = Awaited<ReturnType<typeof middle>>;
  async function drag(page: Page, from: Point, to: Point) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 5 });
    await page.mouse.up();
  }

  it('makes a flow from nothing by keys, is told of a dead end, saves and reopens it', async () => {
    const { page, step, show, newest, clean } = await open('flo');
    await show();
    await clean();
    await press(page, page.getByRole('button', { name: 'Begin with one step' }));
    await state(page, 'Not saved').waitFor();
    await tabTo(page, step(/^say, say, start/));
    await page.keyboard.press('Enter');
    await page.getByLabel('Words to say').fill('Good morning.');
    await save(page).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^say: the node has no outgoing edge.*\(dead_end\)/ })
      .waitFor();
    await page.getByRole('button', { name: 'Findings: 1' }).click();
    await page
      .getByRole('list', { name: 'Findings' })
      .getByRole('button', { name: /^say: the node has no outgoing edge/ })
      .click();
    await page.getByRole('heading', { name: 'say', exact: true }).waitFor();
    await step(/^say, say, start, the node has no outgoing edge/).waitFor();
    await clean();

    await page.getByRole('button', { name: 'Add a step: ask' }).press('Enter');
    await page.getByLabel('Name in edges and records').fill('colour');
    await page.keyboard.press('Tab');
    await page.getByLabel('Name of the value').fill('colour');
    await page.getByLabel('Question to the caller').fill('Which colour?');
    await page.getByRole('button', { name: 'Add a step: end' }).press('Enter');
    await connect(page, step(/^say, say/), 'ArrowDown');
    await page.getByRole('heading', { name: 'say → colour: otherwise' }).waitFor();

    await connect(page, step(/^colour, ask/), 'ArrowDown');
    await page.getByRole('heading', { name: 'colour → end: otherwise' }).waitFor();
    await connect(page, step(/^colour, ask/), 'ArrowDown');
    await page.getByRole('heading', { name: 'colour → end: attempts used up' }).waitFor();
    await page.getByRole('button', { name: 'Findings: 0' }).waitFor();
    await page.keyboard.press('Control+s');
    await state(page, 'Saved as version 2').waitFor();
    const { flow, version } = await newest();
    expect(version).toBe(2);
    expect(flow.nodes.map(({ id, type }: Json) => `${id} ${type}`)).toEqual([
      'say say',
      'colour ask',
      'end end',
    ]);
    expect(flow.edges).toEqual([
      { from: 'say', to: 'colour' },
      { from: 'colour', to: 'end' },
      { from: 'colour', to: 'end', when: { attempts: true } },
    ]);
    await page.reload();
    await step(/^colour, ask/).waitFor();
    await state(page, 'Saved as version 2').waitFor();
    await clean();
  }, 240_000);

  it('plays a call through the flow, with its way and its values', async () => {
    const { page, step, show, clean } = await open('sim');
    await show();
    await page.getByRole('button', { name: 'Load an example' }).click();
    await page.getByRole('button', { name: 'Findings: 0' }).waitFor();
    await page.getByRole('button', { name: 'Simulate' }).click();
    const talk = page.getByRole('list', { name: 'What was said' });
    await talk.getByText('welcome', { exact: true }).waitFor();
    await page.getByLabel('What the caller says').fill('I would like an appointment.');
    await page.keyboard.press('Enter');
    await talk.getByText(/the day of your visit/).waitFor();
    await step(/^details, ask, required, passed at 2/).waitFor();
    await page.getByLabel('What the caller says').fill('I want to speak to a person.');
    await page.getByRole('button', { name: 'Say it' }).click();
    await page.getByText('The call is over.').waitFor();
    await step(/^person, transfer, passed at 3/).waitFor();
    await page.getByRole('button', { name: 'One step back' }).click();
    await page.getByLabel('What the caller says').fill('On the third of May.');
    await page.keyboard.press('Enter');
    const values = page.getByRole('region', { name: 'Values and variables' });
    await talk.getByText('On the third of May.').waitFor();
    await expect
      .poll(async () => {
        if ((await values.textContent())?.includes('-05-03')) return true;
        await page.getByLabel('What the caller says').fill('yes');
        await page.keyboard.press('Enter');
        await talk.getByText('yes', { exact: true }).first().waitFor();
        return (await values.textContent())?.includes('-05-03');
      })
      .toBe(true);
    await clean();
  }, 240_000);

  it('keeps what is not saved over a cut connection and a closed page, and undoes', async () => {
    const { page, office, step, show, newest, clean } = await open('cut');
    await office.send('PATCH', `/v1/agents/${office.agent}`, {
      flow: { start: 'bye', nodes: [{ id: 'bye', type: 'end', say: 'Goodbye.' }], edges: [] },
    });
    await show();
    await step(/^bye, end/).click();
    await page.getByLabel('Words to say').fill('Until tomorrow.');
    await state(page, 'Not saved').waitFor();
    await page.context().setOffline(true);
    await save(page).click();
    await page.getByRole('alert').first().waitFor();
    await state(page, 'Not saved').waitFor();
    await page.context().setOffline(false);
    await page.reload();
    await page.getByText('These are your unsaved changes to version 2.').waitFor();
    await step(/^bye, end/).click();
    expect(await page.getByLabel('Words to say').inputValue()).toBe('Until tomorrow.');
    await save(page).click();
    await state(page, 'Saved as version 3').waitFor();
    expect((await newest()).flow.nodes[0].say).toBe('Until tomorrow.');

    await page.getByLabel('Words to say').fill('See you.');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await page.getByLabel('Words to say').inputValue()).toBe('Until tomorrow.');
    await state(page, 'Saved as version 3').waitFor();
    await page.getByRole('button', { name: 'Redo' }).click();
    await state(page, 'Not saved').waitFor();
    await office.send('PATCH', `/v1/agents/${office.agent}?draft=true`, {
      flow: { start: 'end', nodes: [{ id: 'end', type: 'end', say: 'Another.' }], edges: [] },
    });
    await save(page).click();
    await page.getByRole('alert').getByText('Version 4 was saved elsewhere').waitFor();
    await save(page).click();
    await state(page, 'Saved as version 5').waitFor();
    await clean();
  }, 240_000);

  it('asks before older unsaved changes replace a newer version, and before they are lost', async () => {
    const { page, office, step, show, newest, clean } = await open('old');
    const flow = (say: string) => ({ start: 'bye', nodes: [{ id: 'bye', type: 'end', say }], edges: [] });
    await office.send('PATCH', `/v1/agents/${office.agent}`, { flow: flow('Goodbye.') });
    await show();
    await step(/^bye, end/).click();
    await page.getByLabel('Words to say').fill('Until tomorrow.');
    await state(page, 'Not saved').waitFor();
    await office.send('PATCH', `/v1/agents/${office.agent}?draft=true`, { flow: flow('Another.') });
    await page.reload();
    await page.getByText('The newest version is 3.').waitFor();
    await save(page).click();
    await page.getByRole('alert').getByText('Version 3 was saved elsewhere').waitFor();
    expect((await newest()).flow.nodes[0].say).toBe('Another.');
    await save(page).click();
    await state(page, 'Saved as version 4').waitFor();
    expect((await newest()).flow.nodes[0].say).toBe('Until tomorrow.');

    await page.evaluate("Storage.prototype.setItem = () => { throw new Error('full'); }");
    await step(/^bye, end/).click();
    await page.getByLabel('Words to say').fill('See you.');
    await state(page, 'the storage of this browser is full').waitFor();
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('link', { name: 'To the agent' }).click();
    await expect.poll(() => asked).toEqual(['Your changes are not saved and will be lost. Leave?']);
    await state(page, 'the storage of this browser is full').waitFor();
    expect(page.url()).toMatch(/\/flow$/);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('link', { name: 'To the agent' }).click();
    await step(/^bye, end/).waitFor({ state: 'detached' });
    expect(page.url()).not.toMatch(/\/flow$/);
    await page.locator('main h1').waitFor();
    await clean();
  }, 240_000);

  it('is drawn by a pointer and written as text, one flow in both', async () => {
    const { page, step, show, clean } = await open('ptr');
    await show();
    await page.getByRole('button', { name: 'Begin with one step' }).click();
    await page.getByRole('button', { name: 'Add a step: end' }).click();
    await drag(page, await middle(page.locator('[data-port="say"]')), await middle(step(/^end, end/)));
    await page.getByRole('heading', { name: 'say → end: otherwise' }).waitFor();
    const before = await middle(step(/^end, end/));
    await drag(page, before, { x: before.x + 90, y: before.y + 40 });
    const after = await middle(step(/^end, end/));
    expect(Math.abs(after.x - before.x - 90)).toBeLessThan(12);
    expect(Math.abs(after.y - before.y - 40)).toBeLessThan(12);
    await page.getByRole('button', { name: 'As text' }).click();
    const text = page.getByLabel('YAML', { exact: true });
    await expect.poll(() => text.inputValue()).toContain('from: say');
    await text.fill((await text.inputValue()).replace('type: end', 'type: end\n    say: Goodbye.'));
    await page.getByRole('button', { name: 'Take it over' }).click();
    await page.getByRole('button', { name: 'JSON' }).click();
    expect(JSON.parse(await page.getByLabel('JSON', { exact: true }).inputValue()).nodes[1]).toMatchObject({
      id: 'end',
      say: 'Goodbye.',
    });
    await clean();
  }, 240_000);

  it('shows the way of a call beside its record, how far calls come, and a sheet on a phone', async () => {
    const { page, office, step, show, clean } = await open('way');
    await office.send('PATCH', `/v1/agents/${office.agent}`, {
      flow: {
        start: 'hello',
        nodes: [
          { id: 'hello', type: 'say', say: 'Hello.' },
          { id: 'bye', type: 'end', say: 'Goodbye.' },
        ],
        edges: [{ from: 'hello', to: 'bye' }],
      },
    });
    await show('');
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    const { data } = await office.once(
      `/v1/omni/calls?agent_id=${office.agent}`,
      (calls) => calls.data[0]?.status === 'completed',
    );
    await page.goto(`${url}/console#/calls/${data[0].call_id}`);
    const path = page.getByRole('region', { name: 'Path through the flow' });
    await path.getByRole('button', { name: /^bye, end, passed at 2/ }).waitFor();
    await clean();
    await path.getByRole('link', { name: 'Open the canvas' }).click();
    await step(/^hello, say, start, passed at 1/).waitFor();
    await page.getByRole('button', { name: 'Calls', exact: true }).click();
    await page.getByText('Calls through the flow: 1').waitFor();
    expect(await rowsOf(page, 'Calls by step')).toEqual([
      ['hello', '1', '1', '0'],
      ['bye', '1', '0', '1'],
    ]);
    await step(/^hello, say, start, 1 · 100%/).waitFor();
    await clean();

    // On a phone, and in the dark, the inspector is a sheet over the canvas.
    await page.setViewportSize({ width: 390, height: 800 });
    await page.evaluate("localStorage.setItem('trunkline.theme', 'dark')");
    await show();
    const sheet = page.getByRole('region', { name: 'Details' });
    expect(await sheet.isVisible()).toBe(false);
    await step(/^bye, end/).click();
    await sheet.getByRole('heading', { name: 'bye' }).waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(390);
    await clean();
    await sheet.getByRole('button', { name: 'Close' }).click();
    expect(await sheet.isVisible()).toBe(false);
    await clean();
  }, 240_000);
});
