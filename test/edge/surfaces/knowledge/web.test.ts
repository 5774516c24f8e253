import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/foundation/platform/clock.ts';
import { watchTurns } from '../../../event-loop-blocking.ts';
import { pollDelay } from '../../../poll.ts';
import { compileProgram } from '../../../running-server.ts';
import { type Json, type Knowledge, openKnowledge } from './server.ts';

beforeAll(compileProgram, 180_000);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Page {
  body: string | Buffer;
  type?: string;
  status?: number;
  location?: string;
}

async function site(pages: Record<string, Page>) {
  const asked: { path: string; headers: IncomingMessage['headers'] }[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer((request, response) => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.on('close', () => {
      open -= 1;
    });
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers });
    const page = pages[path];
    if (page === undefined) return void response.writeHead(404).end('none');
    const etag = `"${page.body.length}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    const { status = 200, type = 'text/html', location } = page;
    const headers = { 'content-type': type, etag, ...(location === undefined ? {} : { location }) };
    response.writeHead(status, headers).end(page.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, pages, asked, mostOpen: () => mostOpen, paths: () => asked.map(({ path }) => path) };
}

const page = (title: string, body: string): Page => ({
  body: `<html><head><title>${title}</title></head><body><h1>${title}</h1><p>${body}</p></body></html>`,
});

async function crawled(knowledge: Knowledge, base: string, body: object) {
  const { json: made } = await knowledge.send('POST', `/${base}/crawls`, body);
  for (;;) {
    const { json } = await knowledge.send('GET', `/${base}/crawls/${made.id}`);
    if (json.status === 'indexed' || json.status === 'failed') return json;
    if (json.status === undefined) throw new Error(JSON.stringify([made, json]));
    await pollDelay();
  }
}

describe('a document of the web', () => {
  // @requirement Knowledge: A document is indexed anew only where it changed.
  it('is fetched, and fetched again only where it has changed', { timeout: 60_000 }, async () => {
    const web = await site({ '/hours': page('Hours', 'The museum is open from nine to five.') });
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    const made = await knowledge.page(base, `${web.url}/hours`, { refresh_hours: 24 });
    expect(made).toMatchObject({
      status: 'indexed',
      title: 'Hours',
      refresh_hours: 24,
      media_type: 'text/html',
    });
    expect((await knowledge.query(base, 'when is the museum open'))[0]).toMatchObject({
      url: `${web.url}/hours`,
      title: 'Hours',
    });
    web.pages['/hours'] = page('Hours', 'The museum is closed until the spring of next year.');
    await knowledge.send('POST', `/${base}/documents/${made.id}/refresh`);
    await knowledge.settled(base, made);
    expect((await knowledge.query(base, 'museum'))[0]?.text).toContain('closed until the spring');
  });

  // @requirement Knowledge: Documents refresh on a schedule by conditional requests.
  it('is looked at again when its hours are over, and read again only where it has changed', {
    timeout: 60_000,
  }, async () => {
    const web = await site({ '/hours': page('Hours', 'The museum is open from nine to five.') });
    let hours = 0;
    const clock = { ...systemClock, now: () => Date.now() + hours * 3_600_000 };
    const knowledge = await openKnowledge({ wordsAlone: true, clock });
    const base = await knowledge.base();
    const made = await knowledge.page(base, `${web.url}/hours`, { refresh_hours: 24 });
    const seen = () => web.asked.filter(({ path }) => path === '/hours');
    const pass = async (passed: number, times: number) => {
      hours += passed;
      // Queuing any job makes the queue look for due jobs.
      await knowledge.text(base, `After ${hours} hours`, 'Another text.');
      while (seen().length < times) await pollDelay();
      await knowledge.settled(base, made);
    };
    await pass(23, 1);
    expect(seen()).toHaveLength(1);
    await pass(2, 2);
    expect(seen()[1]?.headers['if-none-match']).toBeDefined();
    expect((await knowledge.query(base, 'museum'))[0]?.text).toContain('nine to five');
    web.pages['/hours'] = page('Hours', 'The museum is closed until the spring of next year.');
    await pass(25, 3);
    while (!(await knowledge.query(base, 'museum'))[0]?.text.includes('until the spring')) await pollDelay();
  });

  // @requirement Knowledge: Documents come by upload, URL and pasted text, and failures are readable.
  it('fails in words that a person understands', { timeout: 60_000 }, async () => {
    const web = await site({
      '/robots.txt': { body: 'User-agent: *\nDisallow: /private', type: 'text/plain' },
      '/private/a': page('A', 'secret'),
      '/tool': { body: 'MZ\x00\x01', type: 'application/octet-stream' },
    });
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    expect((await knowledge.page(base, `${web.url}/gone`)).error).toBe('The URL responded with status 404.');
    expect((await knowledge.page(base, `${web.url}/private/a`)).error).toContain('robots.txt');
    expect((await knowledge.page(base, `${web.url}/tool`)).error).toContain('a program');
    expect(web.paths()).not.toContain('/private/a');
  });
});

describe('a crawl', () => {
  it('ends where the plan keeps no more bytes, and says so', { timeout: 60_000 }, async () => {
    const home = { body: '<title>Home</title><p>Welcome.</p><a href="/long">Long</a>' };
    const web = await site({ '/': home, '/long': page('Long', 'All of the harbour. '.repeat(500)) });
    const knowledge = await openKnowledge({ wordsAlone: true, quota: 2_000 });
    const base = await knowledge.base();
    const crawl = await crawled(knowledge, base, { url: `${web.url}/`, max_pages: 10 });
    expect(crawl).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('storage quota of its plan'),
    });
    expect(await knowledge.blobs.used(knowledge.access.principal())).toBeLessThan(2_000);
  });

  // @requirement Knowledge: Crawls stay in one origin and obey sitemap, robots.txt and canonical links.
  it('takes the pages of the site once each, as its rules allow', { timeout: 90_000 }, async () => {
    const web = await site({
      '/robots.txt': { body: 'User-agent: *\nDisallow: /private', type: 'text/plain' },
      '/': {
        body: '<html><head><title>Home</title></head><body><p>Welcome to the harbour of Porto.</p><a href="/docs/a?utm_source=x#top">A</a><a href="/docs/b">B</a><a href="/private/c">C</a><a href="https://elsewhere.com/">E</a><a href="/blog/d">D</a><a href="/logo.png">L</a></body></html>',
      },
      '/docs/a': page('Ferries', 'The ferry leaves at noon from the northern pier.'),
      '/docs/b': {
        body: '<html><head><title>Ferries</title><link rel="canonical" href="/docs/a"></head><body><p>Copy.</p></body></html>',
      },
      '/private/c': page('C', 'secret'),
      '/blog/d': page('D', 'A story about gulls.'),
      '/sitemap.xml': { body: `<urlset><url><loc>/docs/x</loc></url></urlset>`, type: 'application/xml' },
    });
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    const crawl = await crawled(knowledge, base, { url: `${web.url}/`, max_pages: 10, exclude: ['/blog/*'] });
    expect(crawl).toMatchObject({ status: 'indexed', error: null, registered: 2 });
    expect(knowledge.reported).toMatchObject([
      {
        type: 'knowledge.crawl.indexed',
        resource: crawl.id,
        data: { id: crawl.id, knowledge_base_id: base, registered: 2, documents: { indexed: 2 } },
      },
    ]);
    const { json } = await knowledge.send('GET', `/${base}/documents?crawl_id=${crawl.id}`);
    expect((json.data as { url: string }[]).map(({ url }) => url.replace(web.url, '')).sort()).toEqual([
      '/',
      '/docs/a',
    ]);
    expect((await knowledge.query(base, 'when does the ferry leave'))[0]?.title).toBe('Ferries');
    expect(web.paths().filter((path) => path === '/docs/a')).toHaveLength(1);
    expect(web.paths()).not.toContain('/private/c');
    expect(web.mostOpen()).toBe(1);
    expect(web.asked.every(({ headers }) => headers['user-agent']?.includes('TrunklineBot'))).toBe(true);
  });

  it('reads links where the page stands, and leaves out what asks for it', { timeout: 90_000 }, async () => {
    const elsewhere = await site({ '/x': page('Elsewhere', 'Of another site.') });
    const away = (location: string): Page => ({ body: '', status: 302, location });
    const web = await site({
      '/robots.txt': { body: 'Sitemap: /map.xml.gz', type: 'text/plain' },
      '/docs': away('/docs/'),
      '/docs/': {
        body: '<title>Docs</title><p>All of the docs.</p><a href="one.html">1</a><a href="old">old</a><a href="out">out</a>',
      },
      '/docs/one.html': {
        body: '<head><title>One</title><base href="/deep/"><meta name="Robots" content="NOINDEX"></head><p>List.</p><a href="two.html">2</a>',
      },
      '/deep/two.html': {
        body: '<head><title>Two</title><meta name="robots" content="nofollow"></head><p>The second.</p><a href="three.html">3</a>',
      },
      '/deep/three.html': page('Three', 'Nobody is to be led here.'),
      '/docs/old': away('/deep/two.html'),
      '/docs/out': away(`${elsewhere.url}/x`),
      '/map.xml.gz': { body: gzipSync('<urlset><url><loc>/four</loc></url></urlset>') },
      '/four': page('Four', 'Of the packed site map.'),
    });
    web.pages['/robots.txt'] = { body: `Sitemap: ${web.url}/map.xml.gz`, type: 'text/plain' };
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    const asked = { url: `${web.url}/docs`, refresh_hours: 24 };
    expect(await crawled(knowledge, base, asked)).toMatchObject({ status: 'indexed', registered: 3 });
    const { json } = await knowledge.send('GET', `/${base}/documents`);
    const paths = (json.data as { url: string }[]).map(({ url }) => url.replace(web.url, ''));
    expect(paths.sort()).toEqual(['/deep/two.html', '/docs/', '/four']);
  });

  it('a second time brings what has changed, and says what is gone', { timeout: 120_000 }, async () => {
    const links = ['hours', 'prices', 'staff'].map((name) => `<a href="/${name}">${name}</a>`).join('');
    const home = (more: string) => ({
      body: `<title>Home</title><p>Welcome to the museum. ${more}</p>${links}`,
    });
    const web = await site({
      '/': home('Enter.'),
      '/hours': page('Hours', 'The museum is open from nine to five.'),
      '/prices': page('Prices', 'A ticket costs eight euros.'),
      '/staff': page('Staff', 'The director is called Amalia.'),
    });
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    await crawled(knowledge, base, { url: `${web.url}/` });
    const documents = async () =>
      Object.fromEntries(
        ((await knowledge.send('GET', `/${base}/documents`)).json.data as Json[]).map((one) => [
          one.title,
          one,
        ]),
      );
    const before = await documents();
    web.pages['/hours'] = page('Hours', 'The museum is closed until the spring of next year.');
    delete web.pages['/staff'];
    const again = await crawled(knowledge, base, { url: `${web.url}/` });
    expect(again).toMatchObject({ status: 'indexed', registered: 3, documents: { indexed: 3 } });
    expect((await knowledge.query(base, 'museum closed'))[0]?.text).toContain('until the spring');
    await knowledge.settled(base, before.Staff as Json);
    const after = await documents();
    expect(Object.keys(after).sort()).toEqual(['Home', 'Hours', 'Prices', 'Staff']);
    expect(after.Hours).toMatchObject({ id: before.Hours?.id, crawl_id: again.id, status: 'indexed' });
    expect(after.Prices).toMatchObject({ crawl_id: again.id, indexed_at: before.Prices?.indexed_at });
    expect(after.Staff).toMatchObject({ status: 'failed', error: 'The URL responded with status 404.' });
  });

  it('keeps nobody waiting for rules that were made to be hard', { timeout: 90_000 }, async () => {
    const long = (at: number) => `/${'a/'.repeat(945)}${at}`;
    const links = Array.from({ length: 5 }, (_, at) => `<a href="${long(at)}">${at}</a>`).join('');
    const web = await site({
      '/robots.txt': { body: `User-agent: *\nDisallow: /${'*'.repeat(480_000)}b`, type: 'text/plain' },
      '/': { body: `<title>Home</title><p>Welcome to the harbour.</p>${links}` },
      [long(0)]: page('First', 'The ferry leaves at noon.'),
    });
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    const turns = watchTurns();
    const crawl = await crawled(knowledge, base, { url: `${web.url}/`, max_pages: 5 });
    expect(crawl).toMatchObject({ status: 'indexed', registered: 2, discovered: 6 });
    expect(turns.longestMs()).toBeLessThan(750);
  });

  it('stops at the limit of a site map that unpacks to far more', { timeout: 120_000 }, async () => {
    const entry = '<url><loc>/p</loc></url>';
    const packed = gzipSync(`<urlset>${entry.repeat(2_000_000)}</urlset>`, { level: 9 });
    expect(packed.length).toBeLessThan(150_000);
    const maps = Array.from({ length: 10 }, (_, at) => `/${at}.xml.gz`);
    const web = await site({
      '/': { body: '<title>Home</title><p>Welcome to the harbour.</p>' },
      '/p': page('Ferries', 'The ferry leaves at noon.'),
      ...Object.fromEntries(maps.map((path) => [path, { body: packed }])),
    });
    const named = maps.map((path) => `Sitemap: ${web.url}${path}`).join('\n');
    web.pages['/robots.txt'] = { body: named, type: 'text/plain' };
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    const turns = watchTurns();
    const crawl = await crawled(knowledge, base, { url: `${web.url}/`, max_pages: 10 });
    expect(crawl).toMatchObject({ status: 'indexed', registered: 2 });
    // The first sitemap has used up what all sitemaps of a crawl may hold.
    expect(web.paths().filter((path) => path.endsWith('.gz'))).toEqual(['/0.xml.gz']);
    expect(turns.longestMs()).toBeLessThan(750);
  });

  it('fails where nothing may be read', { timeout: 60_000 }, async () => {
    const web = await site({ '/robots.txt': { body: 'User-agent: *\nDisallow: /', type: 'text/plain' } });
    const knowledge = await openKnowledge({ wordsAlone: true });
    const base = await knowledge.base();
    const crawl = await crawled(knowledge, base, { url: `${web.url}/` });
    expect(crawl).toMatchObject({ status: 'failed', error: expect.stringContaining('robots.txt') });
  });
});
