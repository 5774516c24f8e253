import { fetchRaw } from './api.ts';

/** The requests are small, so that a long recording appears progressively. */
const PART_BYTES = 1 << 20;

export type OnRange = (bytes: Uint8Array, total: number) => void;

const totalOf = (answer: Response, got: number): number =>
  answer.status === 206 ? Number(answer.headers.get('content-range')?.split('/')[1] ?? got) : got;

/** Downloads range by range, in order, and resolves with the whole file. */
export async function downloadInRanges(path: string, take: OnRange, signal: AbortSignal): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let type = '';
  for (let from = 0, total = 1; from < total; ) {
    const range = `bytes=${from}-${from + PART_BYTES - 1}`;
    const answer = await fetchRaw('GET', path, undefined, { headers: { range }, signal });
    const bytes = new Uint8Array(await answer.arrayBuffer());
    type = answer.headers.get('content-type') ?? type;
    total = totalOf(answer, bytes.byteLength);
    if (bytes.byteLength === 0) break;
    take(bytes, total);
    parts.push(bytes);
    from += bytes.byteLength;
  }
  return new Blob(parts, { type });
}
