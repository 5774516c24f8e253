/** The program that reads one document: a line of JSON `{format, pages?, picture?}` and the bytes come in, one JSON value goes out. */
import { type Format, Unreadable } from './blocks.ts';
import { parse } from './parse.ts';
import type { Picture } from './placed.ts';

interface Input {
  readonly format: Format;
  /** Words in their places, in place of blocks. */
  readonly pages?: boolean;
  /** What the page of that number shows, in place of blocks. */
  readonly picture?: number;
  readonly bytes: Uint8Array;
}

async function input(): Promise<Input> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  const all = Buffer.concat(parts);
  const line = all.indexOf(10);
  const asked = JSON.parse(all.toString('utf8', 0, line)) as Omit<Input, 'bytes'>;
  return { ...asked, bytes: all.subarray(line + 1) };
}

async function answer(): Promise<unknown> {
  try {
    const { format, bytes, pages, picture } = await input();
    if (picture !== undefined) return { parsed: await shown(bytes, picture) };
    return { parsed: pages === true ? await placed(bytes) : await parse(bytes, format) };
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.message };
    // What a library says of a file that it can't read.
    console.error(error);
    return { unreadable: 'The document could not be read.' };
  }
}

/** Pictures go as base64 within the JSON. */
async function placed(bytes: Uint8Array): Promise<unknown> {
  const { readPages } = await import('./placed-pages.ts');
  return (await readPages(bytes)).map(({ picture, ...page }) => ({
    ...page,
    picture: picture && sent(picture),
  }));
}

/** No shades at all: the page shows no picture. */
async function shown(bytes: Uint8Array, number: number): Promise<unknown> {
  const { readPicture } = await import('./placed-pages.ts');
  return sent((await readPicture(bytes, number)) ?? { width: 0, height: 0, grey: new Uint8Array() });
}

const sent = ({ grey, ...picture }: Picture) => ({ ...picture, grey: Buffer.from(grey).toString('base64') });

process.stdout.write(JSON.stringify(await answer()));
