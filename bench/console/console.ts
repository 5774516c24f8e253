/**
 * Measures when a phone sees the console: Chromium with the screen of a phone, a processor four times slower than this
 * one, and a 4G line (9 Mbit/s down, 3 up, 85 ms each way), from an empty cache and from a filled one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, type BrowserContext, chromium, devices, type Page } from 'playwright-core';
import { median, percentile, runBench } from '../harness/index.ts';

const PROGRAM = '/usr/bin/chromium';
const LINE = {
  offline: false,
  latency: 170,
  downloadThroughput: (9 * 1024 * 1024) / 8,
  uploadThroughput: (3 * 1024 * 1024) / 8,
};
const SLOWER = 4;
const GOAL_MS = 1_000;
const PAGES = ['home', 'agents', 'calls', 'analytics', 'voices', 'try-speak'] as const;
const PERSON = { email: 'phone@example.com', password: 'correct horse battery' };

interface Painted {
  readonly firstPaint: number;
  readonly largest: number;
  readonly bytes: number;
}

async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const [, url] = /^ready (http:\S+)/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('npm start ended before it was ready');
}

async function asOnAPhone(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', LINE);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  return page;
}

/** Runs in the page. The largest paint is known once nothing more is loaded. */
const PAINTS = `new Promise((resolve) => {
  new PerformanceObserver((list) => {
    const loaded = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
    resolve({
      firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      largest: list.getEntries().at(-1)?.startTime,
      bytes: loaded.reduce((sum, { transferSize }) => sum + transferSize, 0),
    });
  }).observe({ type: 'largest-contentful-paint', buffered: true });
})`;

async function painted(page: Page, address: string): Promise<Painted> {
  await page.goto(address, { waitUntil: 'networkidle' });
  return await page.evaluate(PAINTS);
}

async function signUp(
  browser: Browser,
  url: string,
): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: 'Create an account', exact: true }).click();
  await page.getByLabel('E-mail').fill(PERSON.email);
  await page.getByLabel('Password').fill(PERSON.password);
  await page.getByRole('button', { name: 'Create the account', exact: true }).click();
  await page.getByRole('button', { name: 'To your first call', exact: true }).waitFor();
  const state = await context.storageState();
  await context.close();
  return state;
}

await runBench('console', 'The console on a phone', async (report, { quick }) => {
  const data = mkdtempSync(join(tmpdir(), 'console-bench-'));
  const child = spawn('npm', ['start', '--silent'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TRUNKLINE_PORT: '0', TRUNKLINE_DATA: data, TRUNKLINE_LOG_LEVEL: 'warn' },
  });
  let browser: Browser | null = null;
  try {
    const url = await addressOf(child);
    browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-gpu'] });
    const state = await signUp(browser, url);
    const runs = quick ? 2 : 7;
    const rows: (string | number)[][] = [];
    const opened = browser;
    const measure = async (name: string, address: string, signedIn: boolean) => {
      const [first, again]: [Painted[], Painted[]] = [[], []];
      for (let run = 0; run < runs; run++) {
        const context = await opened.newContext({
          ...devices['Pixel 5'],
          ...(signedIn ? { storageState: state } : {}),
        });
        const page = await asOnAPhone(context);
        first.push(await painted(page, address));
        await page.goto('about:blank');
        again.push(await painted(page, address));
        await context.close();
      }
      const paints = first.map(({ firstPaint }) => firstPaint);
      report.figure({
        name: `first contentful paint, ${name}, p50`,
        value: median(paints),
        unit: 'ms',
        goal: { atMost: GOAL_MS },
      });
      rows.push([
        name,
        median(paints),
        percentile(paints, 0.95),
        median(first.map(({ largest }) => largest)),
        median(again.map(({ firstPaint }) => firstPaint)),
        median(first.map(({ bytes }) => bytes / 1024)),
      ]);
    };
    await measure('signing in', `${url}/console`, false);
    for (const page of PAGES) await measure(page, `${url}/console#/${page}`, true);
    report.text(
      `Chromium as a Pixel 5 with a processor ${SLOWER} times slower than this machine's, a line of 9 Mbit/s down and 3 up with 170 ms there and back, ${runs} runs of each page. The server runs on the same two cores.`,
    );
    report.table(
      [
        'page',
        'first paint p50, ms',
        'first paint p95, ms',
        'largest paint p50, ms',
        'first paint p50 with a filled cache, ms',
        'received, kB',
      ],
      rows,
    );
  } finally {
    await browser?.close();
    process.kill(-(child.pid as number), 'SIGTERM');
    await once(child, 'close');
    rmSync(data, { recursive: true, force: true });
  }
});
