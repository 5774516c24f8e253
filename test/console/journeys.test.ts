/** What people do in the console on other days, mostly by keys alone. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../browser.ts';
import { compileProgram, root } from '../running.ts';
import { press, type } from './keys.ts';
import { look, person, sentence, signUp, violations } from './seeded.ts';
import { rowsOf } from './tables.ts';
import { absent, Office, serveTelephones } from './telephone.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every route.
type Json = any;

function wavOf(pcm: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF');
  head.writeUInt32LE(36 + pcm.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([head, pcm]);
}

describe.skipIf(browserAbsent || Boolean(absent))('in the console', () => {
  let url = '';
  beforeAll(async () => {
    await compileProgram();
    const { buildConsole } = (await import(`${root}/scripts/console.mjs`)) as {
      buildConsole(log: () => void): Promise<void>;
    };
    await buildConsole(() => {});
    url = await serveTelephones();
  }, 300_000);

  async function open(name: string) {
    const { page, complaints } = await look(url);
    const who = person(name);
    await signUp(page, who);
    const office = await Office.open(url, who);
    await press(page, page.getByRole('button', { name: 'To your first call' }));
    return { page, complaints, office };
  }

  const go = (page: Page, name: string) => press(page, page.getByRole('link', { name, exact: true }));
  const summary = (page: Page, name: string) => page.locator('summary').filter({ hasText: name });

  it('invites somebody by keys alone, who joins by the link, and gets another role', async () => {
    const { page, complaints, office } = await open('ines');
    await go(page, 'Members');
    await press(page, summary(page, 'Invite a person'));
    await type(page, page.getByLabel('E-mail'), 'zoe@example.com');
    await page.keyboard.press('Enter');
    const link = (await page.locator('.once code').textContent()) as string;

    const theirs = await (await page.context().browser()!.newContext()).newPage();
    await theirs.goto(link);
    await theirs.getByText('To Analytical Engines, as developer, for zoe@example.com.').waitFor();
    expect(await violations(theirs)).toEqual([]);
    await type(theirs, theirs.getByLabel('Name'), 'Zoe');
    await type(theirs, theirs.getByLabel('Password'), 'correct horse battery');
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('heading', { name: 'Your first call' }).waitFor();

    await page.reload();
    const row = page.getByRole('row').filter({ hasText: 'zoe@example.com' });
    await press(page, row.getByRole('button', { name: /^Analyst: reads/ }));
    await row.getByText('analyst', { exact: true }).waitFor();
    await row.getByRole('button', { name: /^Developer: also makes keys/ }).waitFor();
    const { data: members } = await office.asPerson('/v1/members');
    expect(members.find(({ email }: Json) => email === 'zoe@example.com')).toMatchObject({
      name: 'Zoe',
      role: 'analyst',
    });

    await go(page, 'Audit log');
    const { data: deeds } = await office.asPerson('/v1/audit');
    const shown = await rowsOf(page, 'Audit log');
    expect(shown.map((cells) => cells[3])).toEqual(deeds.map(({ action }: Json) => action));
    const changed = page.getByRole('row').filter({ hasText: 'member.changed' });
    await press(page, changed.locator('summary'));
    expect(JSON.parse((await changed.locator('pre').textContent()) as string)).toMatchObject({
      before: { role: 'developer' },
      after: { role: 'analyst' },
    });
    expect(complaints).toEqual([]);
  }, 180_000);

  it('has a recording written down, a dub corrected and rendered anew', async () => {
    const { page, complaints, office } = await open('dora');
    const file = { name: 'said.wav', mimeType: 'audio/wav', buffer: wavOf(sentence()) };
    await go(page, 'Dub');
    await press(page, summary(page, 'Dub a recording'));
    await page.getByLabel('File').setInputFiles(file);
    await press(page, page.getByRole('button', { name: 'Create', exact: true }));
    await page.getByRole('row').filter({ hasText: 'en → es' }).waitFor();

    await go(page, 'Transcription jobs');
    await press(page, summary(page, 'Submit a recording'));
    await page.getByLabel('File').setInputFiles(file);
    await type(page, page.getByLabel('Language').last(), 'en');
    await press(page, page.getByRole('button', { name: 'Create', exact: true }));
    const done = page.getByRole('row').filter({ hasText: 'completed' });
    await done.waitFor({ timeout: 120_000 });
    await done.getByRole('progressbar', { name: '100%' }).waitFor();
    await press(page, done.getByRole('link'));
    const { data: jobs } = await office.send('GET', '/v1/transcription/jobs');
    const job = await office.send('GET', `/v1/transcription/jobs/${jobs[0].id}`);
    const lines = page.locator('.said li');
    await lines.first().waitFor();
    const words = await lines.allTextContents();
    expect(words).toHaveLength(job.segments.length);
    for (const [at, { text }] of job.segments.entries()) expect(words[at]).toContain(text);

    await go(page, 'Dub');
    const { data: dubs } = await office.send('GET', '/v1/dub');
    const path = `/v1/dub/${dubs[0].id}`;
    const dub = await office.once(path, ({ status }) => /done|error/.test(status));
    expect(dub).toMatchObject({ status: 'done' });
    await press(page, page.getByRole('table').getByRole('link'));
    const segment = summary(page, '→').first();
    await press(page, segment);
    await type(page, page.getByLabel('What is said instead').first(), 'Buenos días a todos.');
    await press(page, page.getByRole('button', { name: 'Save' }).first());
    await summary(page, 'Buenos días a todos.').waitFor();
    await press(page, page.getByRole('button', { name: 'Render the changes' }));
    const { revision } = dub;
    await office.once(path, (now) => now.status === 'done' && now.revision !== revision);
    const { data: after } = await office.send('GET', `${path}/segments`);
    expect(after[0]).toMatchObject({ translation: 'Buenos días a todos.' });
    await page.getByText('done', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  }, 300_000);
});
