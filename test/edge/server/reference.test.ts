// @requirement Platform: `/docs` has search, a form to try routes and three languages.
import { afterAll, describe, expect, it } from 'vitest';
import { browserAbsent, openPage } from '../../browser.ts';
import { operationsOf } from '../../contract/operations.ts';
import { World } from '../../contract/world.ts';

const world = await World.open();
afterAll(() => world.stop());

const page = async () => {
  const { page, browser } = await openPage(Buffer.alloc(3200));
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, browser, asked, complaints };
};

describe('what the page says', () => {
  it('has each operation with its fields, in curl, TypeScript and Python', async () => {
    const { text } = await world.send('/docs');
    for (const { name } of operationsOf(world.openapi)) {
      const [, path] = name.split(' ') as [string, string];
      expect(text).toContain(`<code>${path}</code>`);
    }
    expect(text).toContain('trunkline.rest.postV1AudioSpeech({');
    expect(text).toContain('from trunkline_client.rest.api.speak import post_v1_audio_speech');
    expect(text).toContain('curl -X POST');
    const count = operationsOf(world.openapi).length;
    for (const language of ['curl', 'TypeScript', 'Python'])
      expect(text.split(`<summary>${language}</summary>`).length - 1, language).toBe(count);
    expect(text.indexOf('id="hear"')).toBeLessThan(text.indexOf('id="accounts"'));
  });

  it('has the sockets with queries, frames and close codes, and every event with its payload', async () => {
    const { text } = await world.send('/docs');
    expect(text).toContain('id="socket-v1-omni"');
    expect(text).toContain('id="frame-v1-omni-client-configure"');
    expect(text).toContain('4429');
    for (const type of Object.keys(world.openapi.webhooks as object))
      expect(text).toContain(`<code>${type}</code>`);
  });
});

describe.skipIf(browserAbsent)('the page in a browser', () => {
  it('asks this server alone, and breaks no rule of its own policy', async () => {
    const { page: tab, asked, complaints } = await page();
    await tab.goto(`${world.url}/docs`);
    await tab.locator('#search').waitFor({ state: 'visible' });
    const elsewhere = asked.filter((url) => !url.startsWith(world.url) && !url.includes('127.0.0.1'));
    expect(elsewhere).toEqual([]);
    expect(complaints.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([]);
  }, 90_000);

  it('finds an operation by words, and tries it with a key', async () => {
    const { page: tab } = await page();
    await tab.goto(`${world.url}/docs`);
    await tab.fill('#search', 'v1/me calling key');
    const entry = tab.locator('#get_v1_me');
    await entry.waitFor({ state: 'visible' });
    expect(await tab.locator('#post_v1_audio_speech').isHidden()).toBe(true);
    await tab.fill('#key', world.ours.key);
    await entry.locator('> summary').click();
    await entry.getByRole('button', { name: 'Try GET' }).click();
    await entry.locator('.status').waitFor();
    expect(await entry.locator('.status').textContent()).toMatch(/^200/);
    expect(await entry.locator('.answer').textContent()).toContain('"environment": "live"');
  }, 90_000);

  it('is no wider than a phone', async () => {
    const { page: tab } = await page();
    await tab.setViewportSize({ width: 360, height: 740 });
    await tab.goto(`${world.url}/docs#post_v1_audio_speech`);
    await tab.locator('#post_v1_audio_speech .try button').waitFor({ state: 'visible' });
    const width = await tab.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(360);
  }, 90_000);
});
