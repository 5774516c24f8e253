import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent, telephoneWav } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, person, sentence, signUp, violations } from './seeded.ts';
import { absent, serveTelephones } from './telephone.ts';

interface PageSound {
  readonly readyState: number;
  readonly duration: number;
  readonly currentTime: number;
  addEventListener(event: string, listener: (reported: unknown) => void): void;
}

const durationOf = (sound: Locator): Promise<number> =>
  sound.evaluate(async (of: PageSound) => {
    if (of.readyState < 1) await new Promise((known) => of.addEventListener('loadedmetadata', known));
    return of.duration;
  });

const spoken = (times: number): Buffer =>
  Buffer.concat([
    Buffer.alloc(16_000),
    ...Array.from({ length: times }, () => [sentence(), Buffer.alloc(16 * 1500)]).flat(),
    Buffer.alloc(16 * 60_000),
  ]);

async function tallest(wave: Locator): Promise<number> {
  const path = (await wave.locator('path').getAttribute('d')) as string;
  return Math.max(
    ...[...path.matchAll(/ ([\d.]+)V([\d.]+)/g)].map(([, top, end]) => Number(end) - Number(top)),
  );
}

beforeAll(async () => {
  await compileProgram();
  await builtConsole();
}, 180_000);

describe.skipIf(browserAbsent || Boolean(absent))('somebody who tries the platform', () => {
  let url = '';
  beforeAll(async () => {
    url = await serveTelephones();
  }, 300_000);

  async function open(name: string, microphone?: Buffer) {
    const { page, complaints } = await look(url, microphone);
    await signUp(page, person(name));
    const show = async (where: string) => {
      await page.goto(`${url}/console#/${where}`);
      await page.reload();
      await page.locator('main h1').waitFor();
    };
    return { page, complaints, show };
  }

  const clean = async (page: Page, complaints: readonly string[]) => {
    expect(await violations(page)).toEqual([]);
    expect(complaints).toEqual([]);
  };

  it('hears a text by two voices, and takes the code along', async () => {
    const { page, complaints, show } = await open('sue');
    await show('try-speak');
    await page.getByLabel('Text', { exact: true }).fill('Your order is on its way.');
    await page.getByLabel('Voice', { exact: true }).selectOption('joe_en_us');
    await page.getByLabel('Compare with').selectOption('hibari_en_us');
    await page.getByRole('button', { name: 'Speak', exact: true }).click();
    for (const name of ['Joe', 'Hibari']) {
      const card = page.getByRole('region', { name, exact: true });
      expect(await durationOf(card.locator('audio'))).toBeGreaterThan(0.8);
      expect(await tallest(card.locator('.wave'))).toBeGreaterThan(10);
    }
    const code = page.locator('pre').first();
    expect(await code.textContent()).toContain('"voice":"joe_en_us","input":"Your order is on its way."');
    await page.getByRole('button', { name: 'Python' }).click();
    expect(await code.textContent()).toContain('voice="joe_en_us"');
    await clean(page, complaints);
  }, 180_000);

  it('is understood at the microphone, and goes to the words of a recording', async () => {
    const { page, complaints, show } = await open('hal', spoken(2));
    await show('try-hear');
    await page.getByLabel('Language').last().selectOption('en');
    await page.getByRole('button', { name: 'Listen to the microphone' }).click();
    const microphone = page.getByRole('region', { name: 'Microphone' });
    await microphone
      .locator('.timed')
      .filter({ hasText: /extension/i })
      .first()
      .waitFor({ timeout: 120_000 });
    await page.getByRole('button', { name: 'Stop listening' }).click();
    await page.getByRole('button', { name: 'Listen to the microphone' }).waitFor();

    const file = join(mkdtempSync(join(tmpdir(), 'recording-')), 'call.wav');
    writeFileSync(file, telephoneWav(Buffer.concat([Buffer.alloc(16_000), sentence()])));
    const recording = page.getByRole('region', { name: 'Recording' });
    await recording.getByLabel('File').setInputFiles(file);
    await recording.getByRole('button', { name: 'Recognize' }).click();
    const word = recording.getByRole('button', { name: /extension/i });
    await word.waitFor();
    const [start] = ((await word.getAttribute('title')) as string).split(' – ').map(Number.parseFloat);
    expect(start).toBeGreaterThan(1);
    await word.click();
    const sound = recording.locator('audio');
    await expect
      .poll(() => sound.evaluate((audio) => (audio as unknown as PageSound).currentTime))
      .toBeCloseTo(start as number, 1);
    await clean(page, complaints);
  }, 240_000);

  it('sees who answered, and why', async () => {
    const { page, complaints, show } = await open('amy');
    await show('try-amd');
    await page.getByRole('button', { name: 'A voicemail answers' }).click();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict.getByText('voicemail', { exact: true }).waitFor({ timeout: 120_000 });
    expect(await verdict.locator('.evidence .bar-1').count()).toBeGreaterThan(0);
    await verdict.locator('.wave .mark.bad').waitFor({ state: 'attached' });
    await verdict.getByRole('link', { name: 'Open this call' }).click();
    await page.getByRole('heading', { name: /^Judged call of/ }).waitFor();
    await clean(page, complaints);
  }, 180_000);

  it('loads an example of knowledge by one click, and asks it', async () => {
    const { page, complaints, show } = await open('ken');
    await show('try-knowledge');
    await page.getByRole('button', { name: 'Load an example' }).click();
    await page.getByText('The example is loaded.').waitFor();
    const passages = page.getByRole('region', { name: 'Passages' });
    // A document is found once it is indexed, a moment later.
    await expect
      .poll(
        async () => {
          await page.getByLabel('Question').fill('What does a repair cost?');
          await page.getByRole('button', { name: 'Find' }).click();
          await page.getByText('Done.').waitFor();
          return await passages.textContent();
        },
        { timeout: 60_000 },
      )
      .toContain('A repair costs forty euros.');
    await clean(page, complaints);
  }, 180_000);

  // @requirement Console: The console edits the pronunciations of a project, and lets them be heard.
  it('teaches voices a word, hears it, and replaces its spelling', async () => {
    const { page, complaints, show } = await open('nuala');
    await show('voices');
    await page.getByText('Pronunciations', { exact: true }).click();
    const form = page.getByRole('form', { name: 'Pronunciations' });
    const add = async (say: string) => {
      await form.getByLabel('Word').fill('Siobhan');
      await form.getByLabel('Said as').fill(say);
      await form.getByLabel('Language').selectOption('en');
      await form.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('cell', { name: say, exact: true }).waitFor();
    };
    await add('shiv on');
    await add('shivawn');
    expect(await page.getByRole('cell', { name: 'Siobhan', exact: true }).count()).toBe(1);
    const spoken = page.waitForResponse(/\/v1\/audio\/speech$/);
    await page.getByRole('button', { name: 'Listen Siobhan' }).click();
    expect((await spoken).status()).toBe(200);
    expect(await durationOf(page.locator('audio[aria-label="Siobhan"]'))).toBeGreaterThan(0.2);
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.getByRole('cell', { name: 'shivawn' }).waitFor();
    await page.getByRole('button', { name: 'Remove Siobhan' }).click();
    await page.getByRole('cell', { name: 'shivawn' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('cell', { name: 'shivawn' }).waitFor();
    expect(complaints).toEqual([]);
  }, 180_000);

  it('finds a voice, keeps it, and clones one in the sandbox', async () => {
    const { page, complaints, show } = await open('vic', spoken(4));
    await show('voices');
    const library = page.getByRole('region', { name: 'Library' });
    await library.getByLabel('Tier').selectOption('standard');
    await library.getByLabel('Gender').selectOption('male');
    const joe = library.getByRole('article', { name: 'Joe', exact: true });
    await joe.getByRole('button', { name: 'Favourite Joe' }).click();
    await joe.getByRole('button', { name: /^Listen/ }).click();
    expect(await durationOf(joe.locator('audio'))).toBeGreaterThan(2);
    await page.reload();
    await library.getByRole('button', { name: 'Favourites' }).click();
    await joe.waitFor();
    expect(await library.getByRole('article').count()).toBe(1);
    await clean(page, complaints);

    await page.getByText('Clone a voice').click();
    await page.getByText('Read this aloud, or say whatever you like:').waitFor();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const level = page.getByRole('meter', { name: 'Microphone' });
    await expect.poll(() => level.getAttribute('aria-valuetext')).toMatch(/^-\d+ dB$/);
    await page.getByRole('button', { name: 'Stop after 0:12' }).click({ timeout: 60_000 });
    await page.getByRole('slider', { name: 'Your recording' }).waitFor();
    await page.getByLabel('Name of the voice').first().fill('Mine');
    await page.getByRole('button', { name: 'Make the voice' }).click();
    await page.getByRole('alert').getByText('only with the consent of its speaker').waitFor();
    await page.getByLabel('The speaker agrees that their voice is used').check();
    await page.getByRole('button', { name: 'Make the voice' }).click();
    const own = page.getByRole('region', { name: 'Voices of your own' });
    await own
      .getByRole('article', { name: 'Mine' })
      .getByText(/Speaker similarity/)
      .waitFor({ timeout: 120_000 });
    await clean(page, complaints);
  }, 300_000);
});
