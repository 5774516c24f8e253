// @requirement Supervision: Supervisors see the levels of both sides.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserAbsent } from '../../browser.ts';
import { compileProgram } from '../../running-server.ts';
import { builtConsole } from './built.ts';
import { look, type Person, person, sentence, signUp, violations } from './seeded.ts';
import { absent, BUSY, HOLDS, Office, serveTelephones, TALKS, WAITS_FOR_WORDS } from './telephone.ts';

const HEAD_BYTES = 44;

interface Player {
  readonly currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly error: { readonly message: string } | null;
}
interface Meter {
  readonly value: number;
}

beforeAll(async () => {
  await compileProgram();
  await builtConsole();
}, 180_000);

function loudest(wav: Buffer, side: 0 | 1): number {
  let most = 0;
  for (let at = HEAD_BYTES + 2 * side; at + 2 <= wav.length; at += 4)
    most = Math.max(most, Math.abs(wav.readInt16LE(at)));
  return most / 32_768;
}

async function drawn(page: Page, side: string): Promise<number> {
  const path = (await page.locator(`.wave .${side} path`).getAttribute('d')) as string;
  const tall = [...path.matchAll(/ ([\d.]+)V([\d.]+)/g)].map(([, top, end]) => Number(end) - Number(top));
  return (Math.max(...tall) / 46) ** 2;
}

function loudness(pcm: Buffer): number {
  let most = 0;
  for (let at = 0; at + 2 <= pcm.length; at += 2) most = Math.max(most, Math.abs(pcm.readInt16LE(at)));
  return most / 32_768;
}

const secondsOf = (page: Page): Promise<number> =>
  page.locator('audio').evaluate((audio) => (audio as unknown as Player).currentTime);

const stateOf = (page: Page) =>
  page.locator('audio').evaluate((audio) => {
    const { paused, error } = audio as unknown as Player;
    return { isPaused: paused, fault: error?.message ?? null };
  });

async function otherwise(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 900 });
  await page.evaluate(
    `localStorage.setItem('trunkline.theme', 'dark'); localStorage.setItem('trunkline.language', 'es')`,
  );
  await page.reload();
}

/** A browser's noise suppression removes a steady tone, so the speech is a repeated sentence. */
const speechOf = (ms: number): Buffer => {
  const once = Buffer.concat([sentence(), Buffer.alloc(16 * 2000)]);
  return Buffer.concat(Array.from({ length: Math.ceil((ms * 16) / once.length) }, () => once));
};

/** Keeps the played audio, so that `heard` can analyse it. */
const AUDIO_LISTENERS = `
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode) {
      window.ears = this.context.createAnalyser();
      window.ears.fftSize = 8192;
      connect.call(this, window.ears);
    }
    return connect.call(this, to, ...rest);
  };
`;
const HEARD = `(() => {
  const bins = new Float32Array(window.ears.frequencyBinCount);
  window.ears.getFloatFrequencyData(bins);
  const loudest = bins.indexOf(Math.max(...bins));
  return (loudest * window.ears.context.sampleRate) / window.ears.fftSize;
})()`;

const meter = (page: Page, name: string): Promise<number> =>
  page.getByRole('meter', { name, exact: true }).evaluate((one) => (one as unknown as Meter).value);

describe.skipIf(browserAbsent || Boolean(absent))('the console of a call centre', () => {
  let url = '';
  beforeAll(async () => {
    url = await serveTelephones();
  }, 300_000);

  async function open(name: string, microphone?: Buffer) {
    const { page, complaints } = await look(url, microphone);
    const who: Person = person(name);
    await signUp(page, who);
    const office = await Office.open(url, who);
    const show = async (where: string) => {
      await page.goto(`${url}/console#/${where}`);
      await page.reload();
    };
    return { page, complaints, office, show };
  }

  // @requirement Console: The console plays a recording with both waveforms and a transcript that follows.
  it('shows both sides of a recorded call, seeks where it is clicked, and the transcript follows', async () => {
    const { page, complaints, office, show } = await open('ruth');
    const ended = await office.event('telephony.call.ended', await office.call(TALKS));
    const path = `/v1/omni/calls/${ended.omni_call_id}`;
    const call = await office.once(path, ({ recording_result: { status } }) => status !== 'pending');
    expect(call.recording_result).toMatchObject({ status: 'success' });
    const wav = await office.bytes(`${path}/recording`);

    await show(`calls/${ended.omni_call_id}`);
    const slider = page.getByRole('slider', { name: 'Place in the recording' });
    await slider.waitFor();
    await page.getByRole('link', { name: 'Download' }).waitFor();
    expect(await drawn(page, 'user')).toBeCloseTo(loudest(wav, 0), 1);
    expect(await drawn(page, 'agent')).toBeCloseTo(loudest(wav, 1), 1);
    expect(loudest(wav, 0)).toBeGreaterThan(0.02);
    expect(await page.locator('.wave .user rect').count()).toBeGreaterThan(0);
    expect(await page.locator('li[aria-current]').count()).toBe(0);

    const { duration_s: whole, starts_at_ms: startsAt } = call.recording_result;
    await expect
      .poll(() => page.locator('audio').evaluate((audio) => (audio as unknown as Player).duration))
      .toBeCloseTo(whole, 1);
    const box = (await slider.boundingBox()) as { width: number; height: number };
    await slider.click({ position: { x: box.width * 0.75, y: box.height / 4 } });
    await expect.poll(() => secondsOf(page)).toBeCloseTo(whole * 0.75, 0);

    const { entries } = call.transcript;
    const current = page.locator('li[aria-current="true"]');
    for (const { role, text, start_ms } of entries) {
      const line = page.locator(`.said li.${role}`).filter({ hasText: text }).first();
      await line.getByRole('button', { name: /^Play from/ }).click();
      await expect.poll(() => secondsOf(page)).toBeCloseTo(Math.max(0, start_ms - startsAt) / 1000, 1);
      if (start_ms > startsAt) await current.filter({ hasText: text }).waitFor();
    }
    await slider.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => secondsOf(page)).toBe(0);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => secondsOf(page)).toBeCloseTo(Math.min(5, whole), 1);
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^0:05 of \d+:\d\d$/);
    await page.keyboard.press('Home');
    await page.keyboard.press(' ');
    await expect.poll(() => stateOf(page)).toEqual({ isPaused: false, fault: null });
    await expect.poll(() => secondsOf(page), { timeout: 30_000 }).toBeGreaterThan(0.5);
    await current.filter({ hasText: entries.at(-1).text }).waitFor();

    expect(await violations(page)).toEqual([]);
    await otherwise(page);
    await page.getByRole('slider', { name: 'Posición en la grabación' }).waitFor();
    await page
      .getByRole('button', { name: /^Escuchar desde/ })
      .first()
      .waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(complaints).toEqual([]);
  }, 240_000);

  // @requirement Console: Supervisors see captions and levels of live calls, listen, whisper and take over.
  // @requirement Supervision: The console supervises with a microphone.
  it('hears a live call with the levels of both sides, whispers, and hangs up', async () => {
    const { page, complaints, office, show } = await open('vera');
    await page.addInitScript(AUDIO_LISTENERS);
    await show('live');
    const id = await office.call(HOLDS);
    const card = page.getByRole('region', { name: `Telephone call with ${HOLDS}` });
    await card.getByText('Good morning, this is the office.').waitFor();
    await card.getByRole('button', { name: /^Listen in/ }).click();
    await card.getByText('You hear the call. Nobody hears you.').waitFor();
    await expect.poll(() => meter(page, 'Caller'), { timeout: 60_000 }).toBeGreaterThan(-40);
    await expect.poll(() => meter(page, 'Agent'), { timeout: 60_000 }).toBe(-60);
    await expect.poll(() => page.evaluate(HEARD), { timeout: 60_000 }).toBeCloseTo(500, -1.5);
    await card.getByLabel('Whisper to the agent').fill('Offer Tuesday at ten.');
    await card.getByRole('button', { name: 'Whisper', exact: true }).click();
    await card.getByText('Done.').waitFor();
    const { data: deeds } = await office.send('GET', '/v1/audit?limit=100');
    const done = deeds.filter(({ target }: { target: string }) => target === id);
    expect(done.map(({ action }: { action: string }) => action)).toContain('telephony.call.whispered');
    expect(await violations(page)).toEqual([]);

    await otherwise(page);
    const other = page.getByRole('region', { name: `Llamada telefónica con ${HOLDS}` });
    await other.getByRole('button', { name: /^Escuchar la llamada/ }).click();
    await other.getByText('Usted oye la llamada. Nadie le oye.').waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await other.getByRole('button', { name: /^Colgar a todos/ }).click();
    await other.getByRole('button', { name: /^De verdad/ }).click();
    expect(await office.event('telephony.call.ended', id)).toMatchObject({
      end_detail: 'hung up by a supervisor',
    });
    expect(complaints).toEqual([]);
  }, 240_000);

  it('hears a call without a telephone, takes it over by voice, and gives it back', async () => {
    const { page, complaints, office, show } = await open('bea', speechOf(120_000));
    await page.addInitScript(AUDIO_LISTENERS);
    await show('live');
    const talk = await office.talk();
    const card = page.getByRole('region', { name: `Call ${talk.id}` });
    await card.getByRole('button', { name: /^Listen in/ }).click();
    await card.getByText('You hear the call. Nobody hears you.').waitFor();
    await expect.poll(() => meter(page, 'Caller'), { timeout: 60_000 }).toBeGreaterThan(-40);
    await expect.poll(() => page.evaluate(HEARD), { timeout: 60_000 }).toBeCloseTo(500, -1.5);
    await card.getByLabel('Whisper to the agent').fill('Offer Tuesday at ten.');
    await card.getByRole('button', { name: 'Whisper', exact: true }).click();
    await card.getByText('Done.').waitFor();
    await card.getByRole('button', { name: /^Take over/ }).click();
    await card.getByText('You have the call').waitFor();
    talk.heard = Buffer.alloc(0);
    await expect.poll(() => loudness(talk.heard), { timeout: 60_000 }).toBeGreaterThan(0.02);
    expect(await violations(page)).toEqual([]);
    await card.getByRole('button', { name: /^Give the call back/ }).click();
    await card.getByText('You hear the call. Nobody hears you.').waitFor();
    await card.getByRole('button', { name: /^Hang up for all/ }).click();
    await card.getByRole('button', { name: /^Confirm/ }).click();
    await card.getByRole('link', { name: 'See the record' }).waitFor();
    const { data: deeds } = await office.send('GET', '/v1/audit?limit=100');
    const done = deeds.filter(({ target }: { target: string }) => target === talk.id);
    expect(done.map(({ action }: { action: string }) => action)).toContain('omni.call.taken_over');
    expect(complaints).toEqual([]);
  }, 240_000);

  // @requirement Console: The console runs campaigns and compliance cases.
  it('makes a campaign, adds people, starts it, pauses it, and shows how far it is', async () => {
    const { page, complaints, office, show } = await open('carl');
    await show('campaigns');
    await page.getByLabel('Name', { exact: true }).fill('Reminders');
    await page.getByLabel('Calls are made from').fill('');
    await page.getByLabel('Calls are made until').fill('');
    await page.getByLabel('Attempts', { exact: true }).fill('1');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Reminders' }).waitFor();
    await page.getByLabel('Or numbers, one a line').fill('not a number');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('Line 1').waitFor();
    await page.getByLabel('Or numbers, one a line').fill(`${HOLDS}\n${BUSY}`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('0 of 2 people are done, 0 are being called, 2 wait. 0 calls.').waitFor();
    await page.getByRole('button', { name: 'Start calling' }).click();
    await page.getByText('1 of 2 people are done, 1 are being called, 0 wait. 2 calls.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Go on calling' }).waitFor();
    await page.getByRole('region', { name: 'How calls ended' }).getByText('busy').waitFor();
    const calls = page.getByRole('region', { name: 'Telephone calls' });
    await calls.getByText(HOLDS).waitFor();
    expect(await violations(page)).toEqual([]);
    await otherwise(page);
    await page.getByRole('button', { name: 'Seguir llamando' }).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const { data } = await office.send('GET', '/v1/telephony/calls?state=answered');
    for (const { id } of data) await office.send('POST', `/v1/telephony/calls/${id}/hangup`);
    expect(complaints.filter((one) => !/status of 400 .*\/targets$/.test(one))).toEqual([]);
  }, 240_000);

  it('says why somebody may not supervise', async () => {
    const { page, office, show } = await open('olga');
    await show('live');
    const id = await office.call(HOLDS);
    await office.event('telephony.call.answered', id);
    const seats = await Promise.all([1, 2, 3, 4].map(() => office.supervise(id)));
    const card = page.getByRole('region', { name: `Telephone call with ${HOLDS}` });
    await card.getByRole('button', { name: /^Listen in/ }).click();
    await card.getByRole('alert').getByText('A call can have at most 4 supervisors.').waitFor();
    for (const seat of seats) seat.close();

    const analyst = {
      email: 'ana@example.com',
      password: 'correct horse battery',
    };
    await office.invite(analyst.email, analyst.password, 'analyst');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').fill(analyst.email);
    await page.getByLabel('Password').fill(analyst.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Live calls' }).waitFor();
    await page.getByRole('alert').getByText('telephony:manage').waitFor();
    await office.send('POST', `/v1/telephony/calls/${id}/hangup`);
  }, 240_000);

  it('takes a call over by voice, and gives it back', async () => {
    const { page, complaints, office, show } = await open('tess', speechOf(120_000));
    await show('live');
    const id = await office.call(HOLDS);
    const path = `/v1/telephony/calls/${id}`;
    const { omni_call_id: before } = await office.once(path, ({ omni_call_id: talk }) => talk !== null);
    const holds = page.getByRole('region', { name: `Telephone call with ${HOLDS}` });
    const frames: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => frames.push(String(payload))),
    );
    await holds.getByLabel('Without the caller’s noise').check();
    await holds.getByRole('button', { name: /^Listen in/ }).click();
    await holds.getByText('You hear the call. Nobody hears you.').waitFor();
    expect(frames.find((frame) => frame.includes('"supervising"'))).toContain('"denoised":true');
    await holds.getByRole('button', { name: /^Take over/ }).click();
    await holds.getByText('You have the call').waitFor();
    await holds.getByRole('button', { name: /^Give the call back/ }).click();
    await holds.getByText('You hear the call. Nobody hears you.').waitFor();
    await office.once(path, ({ omni_call_id: talk }) => talk !== before);
    await office.send('POST', `${path}/hangup`);
    await holds.waitFor({ state: 'detached' });

    // The callee hangs up once it has heard words, so its hang-up shows that it heard the supervisor.
    const waits = await office.call(WAITS_FOR_WORDS);
    const card = page.getByRole('region', { name: `Telephone call with ${WAITS_FOR_WORDS}` });
    await card.getByRole('button', { name: /^Listen in/ }).click();
    await card.getByRole('button', { name: /^Take over/ }).click();
    await card.getByText('You have the call').waitFor();
    expect(await office.event('telephony.call.ended', waits)).toMatchObject({
      end_detail: 'hung up by them',
    });
    expect(complaints).toEqual([]);
  }, 300_000);
});
