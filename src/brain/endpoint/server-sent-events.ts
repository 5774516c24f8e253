import { BrainError } from '../contract.ts';

const MAX_EVENT_CHARACTERS = 1_000_000;
/** An answer of a few hundred tokens is a hundredth of it. */
const MAX_STREAM_BYTES = 8_000_000;

/** The `data` of each server-sent event of a byte stream. Any split of the bytes gives the same events. */
export async function* serverSentData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = '';
  let data: string[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_STREAM_BYTES) {
      throw new BrainError('garbage', 'the stream is over 8 MB', { retryable: false });
    }
    pending += decoder.decode(chunk, { stream: true });
    const lines = pending.split(/\r\n|\n|\r(?!$)/);
    pending = lines.pop() ?? '';
    for (const line of lines) {
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      } else if (line.startsWith('data:')) {
        data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      }
    }
    if (pending.length + data.reduce((sum, line) => sum + line.length, 0) > MAX_EVENT_CHARACTERS) {
      throw new BrainError('garbage', 'an event of the stream is over 1 MB', { retryable: false });
    }
  }
  if (pending.startsWith('data:')) data.push(pending.slice(pending.startsWith('data: ') ? 6 : 5));
  if (data.length > 0) yield data.join('\n');
}
