import { createHash } from 'node:crypto';
import { parseDocument } from './parse.ts';
import type { ParserRequest } from './parser-request.ts';
import { runParserWorker } from './parser-worker.ts';
import type { PageImage } from './positioned-text.ts';
import { readSiteMap, type SiteMapLimits } from './site-map.ts';

async function* parts(asked: ParserRequest, bytes: Uint8Array): AsyncGenerator<unknown> {
  switch (asked.kind) {
    case 'pages':
      return yield* placed(bytes);
    case 'picture':
      return yield await shown(bytes, asked.page);
    case 'outline':
      return yield await outlineOf(bytes);
    case 'siteMap':
      return yield* addressesOf(bytes, asked.limits);
  }
}

async function* placed(bytes: Uint8Array): AsyncGenerator<unknown> {
  const { readPages } = await import('./pdf-pages.ts');
  for (const { picture, ...page } of await readPages(bytes))
    yield { ...page, picture: picture && sent(picture) };
}

async function shown(bytes: Uint8Array, number: number): Promise<unknown> {
  const { readPageImage } = await import('./pdf-pages.ts');
  return sent((await readPageImage(bytes, number)) ?? { width: 0, height: 0, grey: new Uint8Array() });
}

const sent = ({ grey, ...picture }: PageImage) => ({
  ...picture,
  grey: Buffer.from(grey).toString('base64'),
});

async function outlineOf(bytes: Uint8Array) {
  const {
    blocks,
    links = [],
    canonical = null,
    base = null,
    unlisted = false,
  } = await parseDocument(bytes, 'html');
  const text = blocks.length === 0 ? null : createHash('sha256').update(JSON.stringify(blocks)).digest('hex');
  return { links, canonical, base, unlisted, text };
}

const AT_ONCE = 200;

async function* addressesOf(bytes: Uint8Array, limits: SiteMapLimits): AsyncGenerator<unknown> {
  const { pages, maps, bytes: unpacked } = await readSiteMap(bytes, limits);
  for (let at = 0; at < pages.length; at += AT_ONCE)
    yield { pages: pages.slice(at, at + AT_ONCE), maps: [], bytes: 0 };
  yield { pages: [], maps, bytes: unpacked };
}

await runParserWorker(parts);
