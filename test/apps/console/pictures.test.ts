// @requirement Console: A script remakes the screenshots of the documentation.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { compileProgram, root } from '../../running-server.ts';
import { pagesOf } from './pages.ts';
import { look, person, seed, sentence, serve, settled, signUp } from './seeded.ts';
import { BUSY, HOLDS, Office, OPERATOR_TOKEN, serveTelephones, TALKS } from './telephone.ts';

const FOLDER = join(root, 'docs/guides/console');
/** The four looks of each page on one picture. */
const SHEETS = join(FOLDER, 'pages');
const WIDGETS = join(root, 'docs/guides/widget');
const PICTURES = [
  ['home', 'light', 1280],
  ['home', 'dark', 390],
  ['analytics', 'dark', 1280],
  ['call', 'light', 1280],
  ['call', 'dark', 390],
  ['voices', 'light', 1280],
  ['agents', 'light', 1280],
  ['numbers', 'dark', 390],
] as const;

it('are made anew', async () => {
  await compileProgram();
  mkdirSync(FOLDER, { recursive: true });
  const url = await serveTelephones();
  const { page, complaints } = await look(url);
  const who = person('grace');
  await signUp(page, who);
  const ids = await seed(url, who);
  const office = await Office.open(url, who);
  const { omni_call_id: call } = await office.event('telephony.call.ended', await office.call(TALKS));
  await office.event('telephony.call.ended', await office.call(BUSY));
  const addresses: Readonly<Record<string, string>> = {
    agents: `agents/${ids.agent}`,
    call: `calls/${call}`,
  };
  for (const [name, theme, width] of PICTURES) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(`localStorage.setItem('trunkline.theme', '${theme}')`);
    await page.goto(`${url}/console#/${addresses[name] ?? name}`);
    await page.reload();
    await settled(page);
    await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) });
  }
  expect(complaints).toEqual([]);
}, 180_000);

/** The name of a page's sheet: records go by their kind alone. */
const sheetOf = (path: string): string => path.replaceAll(/\/[a-z]+_\w+/g, '-one').replaceAll('/', '-');

const LOOKS = [
  ['light', 1280],
  ['light', 390],
  ['dark', 1280],
  ['dark', 390],
] as const;

it('has a sheet of each page, in light and dark, at the width of a laptop and of a phone', async () => {
  await compileProgram();
  mkdirSync(SHEETS, { recursive: true });
  const url = await serveTelephones();
  const { page, complaints } = await look(url);
  const who = person('hedy');
  await signUp(page, who);
  const ids = await seed(url, who);
  const office = await Office.open(url, who);
  const { omni_call_id: call } = await office.event('telephony.call.ended', await office.call(TALKS));
  await office.event('telephony.call.ended', await office.call(BUSY));
  await office.talk();
  await office.call(HOLDS);
  const paths = [...pagesOf(ids), `calls/${call}`];
  const pictures = new Map<string, Buffer[]>(paths.map((path) => [path, []]));
  for (const [theme, width] of LOOKS) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(`localStorage.setItem('trunkline.theme', '${theme}')`);
    await page.goto(`${url}/console#/home`);
    await page.reload();
    for (const path of paths) {
      await page.evaluate(`location.hash = '#/${path}'`);
      await settled(page);
      const token = page.getByLabel('Operator’s token');
      if (await token.isVisible()) {
        await token.fill(OPERATOR_TOKEN);
        await page.getByRole('button', { name: 'Open' }).click();
        await settled(page);
      }
      pictures.get(path)?.push(await page.screenshot({ type: 'jpeg', quality: 80 }));
    }
  }
  const sheet = await page.context().newPage();
  await sheet.setViewportSize({ width: 1700, height: 420 });
  for (const [path, shots] of pictures) {
    const images = shots.map(
      (shot) => `<img height="400" src="data:image/jpeg;base64,${shot.toString('base64')}">`,
    );
    await sheet.setContent(
      `<body style="margin:8px;display:flex;gap:8px;background:#777">${images.join('')}</body>`,
    );
    await sheet.screenshot({ type: 'jpeg', quality: 55, path: join(SHEETS, `${sheetOf(path)}.jpg`) });
    const whole = process.env.TRUNKLINE_PICTURES_WHOLE;
    if (whole !== undefined)
      for (const [at, shot] of shots.entries())
        writeFileSync(join(whole, `${sheetOf(path)}-${LOOKS[at]?.join('-')}.jpg`), shot);
  }
  // Pages are left faster than by people, so that the live feed may be over its rate and tries again.
  expect(complaints.filter((one) => !/\/v1\/live' failed: .* 429/.test(one))).toEqual([]);
}, 520_000);

async function widgetAs(page: Page, state: string, name: string): Promise<void> {
  const widget = page.locator(`trunkline-call[data-state="${state}"]`);
  await widget.waitFor();
  await widget.screenshot({ path: join(WIDGETS, `${name}.png`) });
}

const caller = (): Buffer => Buffer.concat([Buffer.alloc(16 * 9000), sentence(), Buffer.alloc(16 * 60_000)]);

it('are made anew of each state of the widget', async () => {
  await compileProgram();
  mkdirSync(WIDGETS, { recursive: true });
  const url = await serve();
  const { page } = await look(url, caller());
  await page.setViewportSize({ width: 480, height: 700 });
  await page.goto(`${url}/demo`);
  await widgetAs(page, 'idle', 'idle');
  await page.getByRole('button', { name: 'Call' }).click();
  await widgetAs(page, 'calling', 'calling');
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.getByText('You:').waitFor();
  await widgetAs(page, 'live', 'live');
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByText('Keypad').click();
  await widgetAs(page, 'live', 'muted');
  await page.getByRole('button', { name: 'Hang up' }).click();
  await widgetAs(page, 'over', 'over');
  await page.addInitScript(
    "navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotAllowedError'); }",
  );
  await page.reload();
  await page.getByRole('button', { name: 'Call' }).click();
  await widgetAs(page, 'over', 'refused');
}, 180_000);
