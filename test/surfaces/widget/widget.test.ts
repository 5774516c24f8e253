/** The element <trunkline-call> in Chromium: whole calls to a real agent, by keys alone, by either way. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createWidgetSurface } from '../../../src/surfaces/widget/index.ts';
import { browserAbsent, openPage } from '../../browser.ts';
import { absent as absentAudio, ffmpeg, SPEECH } from '../../codec/recordings.ts';
import { compileProgram } from '../../running.ts';
import { OneKeyAccess } from '../../server/fixtures/access.ts';
import { start } from '../../server/fixtures/start.ts';
import { node } from '../../webrtc/nodes.ts';
import { absent, openOmni, VOICE } from '../omni/server.ts';

beforeAll(compileProgram, 120_000);

it('is served to any page, and not twice', async () => {
  const { url } = await start({ surfaces: [createWidgetSurface()] });
  const first = await fetch(`${url}/widget.js`);
  expect(first.status).toBe(200);
  expect(first.headers.get('content-type')).toContain('text/javascript');
  expect(first.headers.get('access-control-allow-origin')).toBe('*');
  expect((await first.arrayBuffer()).byteLength).toBeLessThan(40_000);
  const etag = first.headers.get('etag') as string;
  expect((await fetch(`${url}/widget.js`, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

/** What pages were given once, by its digest: another digest here breaks their `integrity`. */
const PUBLISHED = { v11: 'sha256-fOVuxunt3oqcNfn3OHmQt19YGMp73qqpiKAy9Gi7TcE=' };

it.each(Object.entries(PUBLISHED))(
  'is published as %s, whose bytes never change',
  async (version, digest) => {
    const { url } = await start({ surfaces: [createWidgetSurface()] });
    const answer = await fetch(`${url}/widget/${version}/widget.js`);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(`sha256-${createHash('sha256').update(bytes).digest('base64')}`).toBe(digest);
    expect(gzipSync(bytes).byteLength).toBeLessThan(40_000);
  },
);

it.each(['v10', 'v999', 'latest', 'v11%2f..'])('is no %s, which nobody published', async (version) => {
  const { url } = await start({ surfaces: [createWidgetSurface()] });
  const { status } = await fetch(`${url}/widget/${version}/widget.js`);
  expect([400, 404]).toContain(status);
});

function recording(path: string): Buffer {
  const args = ['-v', 'error', '-i', join(SPEECH, path), '-ac', '1', '-ar', '8000', '-f', 's16le', '-'];
  return spawnSync(ffmpeg, args, { maxBuffer: 1 << 26 }).stdout;
}
const silence = (seconds: number): Buffer => Buffer.alloc(16_000 * seconds);
const GREETING = 'Hello, this is the shop. How can I help you today?';

describe.skipIf(Boolean(absent || absentAudio) || browserAbsent)('a call by the widget', () => {
  async function open(transport: string) {
    const access = new OneKeyAccess();
    const server = await openOmni({
      access,
      webrtc: (engine) => node({ engine }),
      beside: [createWidgetSurface()],
    });
    const configure = JSON.stringify({ voice_id: VOICE, greeting: GREETING });
    const html = `<script src="${server.url}/widget.js"></script><trunkline-call lang="en" transport="${transport}" configure='${configure}'></trunkline-call>`;
    const question = recording('an4/an163-mfaa-b.wav');
    const { page, origin } = await openPage(Buffer.concat([silence(8), question, silence(40)]), html);
    access.origins.add(origin);
    const sessions = {
      webrtc: { token: OneKeyAccess.KEY, url: `${server.url}/v1/omni/webrtc` },
      websocket: {
        token: OneKeyAccess.KEY,
        url: `${server.url.replace('http', 'ws')}/v1/omni?format=pcm16&rate=16000`,
      },
    };
    const state = (wanted: string) =>
      page.waitForFunction(
        // biome-ignore lint/suspicious/noExplicitAny: the page has a document, and the test none.
        (one) => (globalThis as any).document.querySelector('trunkline-call').dataset.state === one,
        wanted,
        { timeout: 30_000 },
      );
    const give = (given: object) =>
      page.evaluate((all) => {
        // biome-ignore lint/suspicious/noExplicitAny: the same.
        (globalThis as any).document.querySelector('trunkline-call').getSession = async (way: string) =>
          (all as Record<string, object>)[way];
      }, given);
    return { server, access, page, sessions, state, give };
  }

  it('goes by WebRTC, by keys alone, with captions of both', async () => {
    const { server, access, page, sessions, state, give } = await open('');
    await give(sessions);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await state('live');
    const widget = page.locator('trunkline-call');
    expect(await widget.getAttribute('data-transport')).toBe('webrtc');
    const log = page.getByRole('log', { name: 'Conversation' });
    await vi.waitFor(async () => expect(await log.textContent()).toContain('Agent: Hello'), 20_000);
    await vi.waitFor(async () => expect(await log.textContent()).toContain('You: '), 30_000);
    await page.getByRole('button', { name: 'Mute' }).press('Enter');
    expect(await page.getByRole('button', { name: 'Mute' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByText('Keypad').press('Enter');
    await page.getByRole('button', { name: '7' }).press('Enter');
    await page.getByRole('button', { name: 'Hang up' }).press('Enter');
    await state('over');
    expect(await page.getByRole('status').textContent()).toBe('Call ended');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TRUNKLINE-CALL');
    await vi.waitFor(() => expect(access.released).toBe(1), 10_000);
    expect((await server.billed())[0]).toBeGreaterThan(5_000);
  }, 120_000);

  it('goes by WebSocket where WebRTC does not get through', async () => {
    const { access, page, sessions, state, give } = await open('');
    await give({ ...sessions, webrtc: { ...sessions.webrtc, url: 'http://127.0.0.1:9/v1/omni/webrtc' } });
    await page.getByRole('button', { name: 'Call' }).click();
    await state('live');
    expect(await page.locator('trunkline-call').getAttribute('data-transport')).toBe('websocket');
    const log = page.getByRole('log', { name: 'Conversation' });
    await vi.waitFor(async () => expect(await log.textContent()).toContain('Agent: Hello'), 20_000);
    await vi.waitFor(async () => expect(await log.textContent()).toContain('You: '), 30_000);
    access.revoke();
    await state('over');
    await vi.waitFor(() => expect(access.released).toBe(1), 10_000);
  }, 120_000);

  it('says what failed', async () => {
    const { page, state, give } = await open('webrtc');
    await give({ webrtc: { token: 'svc_test_wrong', url: 'http://127.0.0.1:9/' } });
    await page.getByRole('button', { name: 'Call' }).click();
    await state('over');
    expect(await page.getByRole('alert').textContent()).toContain('The call failed');
    expect(await page.getByRole('button', { name: 'Call' }).isVisible()).toBe(true);
  }, 60_000);
});
