import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createWidgetSurface } from '../../../src/edge/surfaces/widget/index.ts';
import { browserAbsent, openPage } from '../../browser.ts';
import { OneKeyAccess } from '../../edge/server/fixtures/access.ts';
import { absent, openOmni, VOICE } from '../../edge/surfaces/omni/server.ts';
import { compileProgram } from '../../running-server.ts';
import { node } from '../../telephony/webrtc/nodes.ts';
import { clientsMissing, integrationProject } from '../packages.ts';

const PAGE = `
import { createElement as h, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CallButton, useCall } from 'trunkline-react';

function Own(options) {
  globalThis.call = useCall(options);
  const { state, captions, error, isMuted } = call;
  return h('p', { id: 'own' }, JSON.stringify({ state, captions, error, isMuted }));
}

function Page({ shown, options }) {
  const [is, show] = useState(true);
  globalThis.leave = () => show(false);
  return is ? h(shown === 'button' ? CallButton : Own, options) : null;
}

globalThis.told = [];
globalThis.mount = (shown, options) => {
  const getSession = async (transport) => options.sessions[transport];
  const onEvent = ({ event }) => told.push(event);
  const page = h(Page, { shown, options: { ...options, getSession, onEvent } });
  createRoot(document.getElementById('root')).render(h(StrictMode, null, page));
};
`;
const GREETING = 'Hello, this is the shop. How can I help you today?';
const SILENCE = Buffer.alloc(16_000 * 30);

interface Shown {
  readonly state: string;
  readonly captions: readonly string[];
  readonly error: string | null;
  readonly isMuted: boolean;
}

const missing = clientsMissing || absent || browserAbsent;

describe.skipIf(Boolean(missing)).each(['19.3.1', '18.3.1'])('trunkline-react in React %s', (version) => {
  let bundle: string;
  beforeAll(async () => {
    await compileProgram();
    const project = await integrationProject('react', [`react@${version}`, `react-dom@${version}`]);
    const input = join(project, 'page.mjs');
    writeFileSync(input, PAGE);
    const built = await rolldown({ input, tsconfig: false, logLevel: 'silent' });
    const file = join(project, 'bundle.js');
    await built.write({ file, format: 'iife' });
    await built.close();
    bundle = readFileSync(file, 'utf8').replaceAll('</script', '<\\/script');
  }, 400_000);

  async function open(shown: 'button' | 'hook') {
    const access = new OneKeyAccess();
    const server = await openOmni({
      access,
      webrtc: (engine) => node({ engine, restartWithinMs: 20_000 }),
      otherSurfaces: [createWidgetSurface()],
    });
    const html = `<div id="root"></div><script>process = { env: { NODE_ENV: 'production' } }</script><script>${bundle}</script>`;
    const { page, origin } = await openPage(SILENCE, html);
    access.origins.add(origin);
    const options = {
      server: server.url,
      language: 'en',
      configure: { voice_id: VOICE, greeting: GREETING },
      sessions: { webrtc: { token: OneKeyAccess.KEY, url: `${server.url}/v1/omni/webrtc` } },
      transport: 'webrtc',
    };
    const mount = (changed: object = {}) =>
      page.evaluate(
        // biome-ignore lint/suspicious/noExplicitAny: the page has these functions, and the test has none.
        ([kind, all]) => (globalThis as any).mount(kind, all),
        [shown, { ...options, ...changed }] as const,
      );
    const own = async () => JSON.parse((await page.locator('#own').textContent()) ?? '{}') as Shown;
    return { access, page, mount, own };
  }

  it('calls by its hook, and tells what is said', async () => {
    const { access, page, mount, own } = await open('hook');
    await mount();
    await vi.waitFor(async () => expect((await own()).state).toBe('idle'), 20_000);
    await page.evaluate('call.start()');
    await vi.waitFor(async () => expect((await own()).state).toBe('live'), 30_000);
    await vi.waitFor(async () => expect((await own()).captions[0]).toContain('Agent: Hello'), 20_000);
    expect(await page.evaluate('told')).toContain('configured');
    await page.evaluate('call.mute(true)');
    await vi.waitFor(async () => expect((await own()).isMuted).toBe(true));
    await page.evaluate('call.hangUp()');
    await vi.waitFor(async () => expect((await own()).state).toBe('over'));
    await vi.waitFor(() => expect(access.released).toBe(1), 10_000);
    expect([await page.locator('trunkline-call').count(), access.admitted]).toEqual([1, 1]);
  }, 120_000);

  it('calls by its button, and hangs up when it leaves the page', async () => {
    const { access, page, mount } = await open('button');
    await mount();
    await page.getByRole('button', { name: 'Call' }).click();
    const log = page.getByRole('log', { name: 'Conversation' });
    await vi.waitFor(async () => expect(await log.textContent()).toContain('Agent: Hello'), 40_000);
    await page.evaluate('leave()');
    await vi.waitFor(() => expect(access.released).toBe(1), 10_000);
    expect(await page.locator('trunkline-call').count()).toBe(0);
  }, 120_000);

  it('tells where the widget cannot be loaded', async () => {
    const { mount, own } = await open('hook');
    await mount({ server: 'http://127.0.0.1:9' });
    await vi.waitFor(async () => expect((await own()).state).toBe('unavailable'), 20_000);
    expect((await own()).error).toContain('http://127.0.0.1:9/widget/v12/widget.js cannot be loaded');
  }, 60_000);
});
