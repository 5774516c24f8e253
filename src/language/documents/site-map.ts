import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface SiteMapLimits {
  readonly bytes: number;
  readonly entries: number;
}

export interface SiteMap {
  readonly pages: readonly string[];
  readonly maps: readonly string[];
  readonly bytes: number;
}

const LOC = /<loc>\s*([^<\s]{1,2048})\s*<\/loc>/gi;
const LONGEST_ENTRY = 4_096;

/**
 * Returns the addresses of a site map, compressed or not, up to the limits. It searches instead of parsing, so
 * entities and nesting have no effect.
 */
export async function readSiteMap(bytes: Uint8Array, limits: SiteMapLimits): Promise<SiteMap> {
  const found: string[] = [];
  const decoder = new TextDecoder();
  let isIndex = false;
  let unpacked = 0;
  let text = '';
  for await (const part of partsOf(bytes)) {
    unpacked += part.length;
    text += decoder.decode(part, { stream: true });
    isIndex ||= /<sitemapindex[\s>]/i.test(text);
    let end = 0;
    for (const match of text.matchAll(LOC)) {
      if (found.length >= limits.entries) break;
      end = match.index + match[0].length;
      found.push((match[1] as string).replaceAll('&amp;', '&'));
    }
    if (found.length >= limits.entries || unpacked >= limits.bytes) break;
    text = text.slice(Math.max(end, text.length - LONGEST_ENTRY));
  }
  return isIndex ? { pages: [], maps: found, bytes: unpacked } : { pages: found, maps: [], bytes: unpacked };
}

const PART = 64 * 1024;

async function* partsOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) {
    for (let at = 0; at < bytes.length; at += PART) yield bytes.subarray(at, at + PART);
    return;
  }
  const unpacking = Readable.from([bytes]).pipe(createGunzip());
  try {
    for await (const part of unpacking) yield part as Buffer;
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw error;
  }
}
