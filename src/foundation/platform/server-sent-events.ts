export class StreamTooLarge extends Error {}

export interface StreamLimits {
  readonly eventCharacters: number;
  readonly bytes: number;
}

const LINE_END = /\r\n|\n|\r/;

/**
 * Yields the `data` of each server-sent event. The result does not depend on the chunk sizes, and the time is linear
 * in the bytes. Throws StreamTooLarge.
 */
export async function* serverSentData(
  chunks: AsyncIterable<Uint8Array>,
  limits: StreamLimits,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending: string[] = [];
  let data: string[] = [];
  let characters = 0;
  let bytes = 0;
  let endedByReturn = false;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > limits.bytes) throw new StreamTooLarge(`the stream is over ${limits.bytes} bytes`);
    let text = decoder.decode(chunk, { stream: true });
    if (text === '') continue;
    if (endedByReturn && text.startsWith('\n')) text = text.slice(1);
    endedByReturn = text.endsWith('\r');
    const [first = '', ...others] = text.split(LINE_END);
    pending.push(first);
    characters += first.length;
    for (const next of others) {
      const line = pending.join('');
      pending = [next];
      characters += next.length;
      if (line.startsWith('data:')) data.push(dataOf(line));
      else characters -= line.length;
      if (line !== '' || data.length === 0) continue;
      yield data.join('\n');
      data = [];
      characters = next.length;
    }
    if (characters > limits.eventCharacters)
      throw new StreamTooLarge(`an event of the stream is over ${limits.eventCharacters} characters`);
  }
  const last = pending.join('');
  if (last.startsWith('data:')) data.push(dataOf(last));
  if (data.length > 0) yield data.join('\n');
}

const dataOf = (line: string): string => line.slice(line.startsWith('data: ') ? 6 : 5);
