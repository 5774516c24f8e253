/** The program that reads one document: a line of JSON `{format, pages?}` and the bytes come in, one JSON value goes out. */
import { type Format, Unreadable } from './blocks.ts';
import { parse } from './parse.ts';

interface Input {
  readonly format: Format;
  /** Words in their places, in place of blocks. */
  readonly pages?: boolean;
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
    const { format, bytes, pages } = await input();
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
    picture: picture && { ...picture, grey: Buffer.from(picture.grey).toString('base64') },
  }));
}

process.stdout.write(JSON.stringify(await answer()));
