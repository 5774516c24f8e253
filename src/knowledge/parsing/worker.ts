/** The program that reads one document: a line of JSON `{format}` and the bytes come in, one JSON value goes out. */
import { type Format, Unreadable } from './blocks.ts';
import { parse } from './parse.ts';

async function input(): Promise<{ format: Format; bytes: Uint8Array }> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(part as Buffer);
  const all = Buffer.concat(parts);
  const line = all.indexOf(10);
  const { format } = JSON.parse(all.toString('utf8', 0, line)) as { format: Format };
  return { format, bytes: all.subarray(line + 1) };
}

async function answer(): Promise<unknown> {
  try {
    const { format, bytes } = await input();
    return { parsed: await parse(bytes, format) };
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.message };
    // What a library says of a file that it can't read.
    console.error(error);
    return { unreadable: 'The document could not be read.' };
  }
}

process.stdout.write(JSON.stringify(await answer()));
