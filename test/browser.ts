/** Debian's Chromium runs without a screen, with a recording as its microphone, and a page with its own origin. */
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { wavHeader } from '../src/media/codec/index.ts';
import { afterAll } from './helper-hooks.ts';

const PROGRAM = '/usr/bin/chromium';
export const browserAbsent = !existsSync(PROGRAM);
if (browserAbsent && process.env.CI === 'true') throw new Error(`absent: ${PROGRAM}`);

export interface Opened {
  readonly browser: Browser;
  readonly page: Page;
  readonly origin: string;
}

let silent: Promise<Browser> | undefined;
afterAll(async () => {
  await (await silent)?.close();
  silent = undefined;
});

/** One browser serves the tests of a file whose microphone says nothing; each takes a context of its own. */
export function silentBrowser(): Promise<Browser> {
  silent ??= launch(Buffer.alloc(16_000 * 120));
  return silent;
}

/** The page's microphone plays this PCM16 at 8 kHz once, from the moment when it is opened. */
export async function openBrowser(microphone: Buffer): Promise<Browser> {
  const browser = await launch(microphone);
  onTestFinished(() => browser.close());
  return browser;
}

const launch = (microphone: Buffer): Promise<Browser> =>
  chromium.launch({
    executablePath: PROGRAM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${wavFile(microphone)}%noloop`,
      '--autoplay-policy=no-user-gesture-required',
    ],
  });

export async function openPage(microphone: Buffer, html = ''): Promise<Opened> {
  const browser = await openBrowser(microphone);
  const origin = await serve(html);
  const page = await browser.newPage();
  await page.goto(origin);
  return { browser, page, origin };
}

async function serve(html: string): Promise<string> {
  const server = createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(`<!doctype html><title>t</title>${html}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const telephoneWav = (pcm: Buffer): Buffer =>
  Buffer.concat([wavHeader({ sampleRate: 8_000, channels: 1, sample: 's16' }, pcm.length), pcm]);

function wavFile(pcm: Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'microphone-')), 'voice.wav');
  writeFileSync(path, telephoneWav(pcm));
  return path;
}
