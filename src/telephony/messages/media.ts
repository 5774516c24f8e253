import { GateError, type UrlGate } from '../../foundation/platform/url-gate/index.ts';

/** Networks accept media up to this size. */
const MOST_BYTES = 5 * 1024 * 1024;
const WITHIN_MS = 20_000;
const KINDS = /^(image|audio|video)\/|^application\/pdf\b|^text\/vcard\b/;

/** Why nobody could be sent this; null: it is there, small enough, and of a kind that a message carries. Throws where
 * it could not be told now. */
export async function mediaProblem(gate: UrlGate, url: string, signal: AbortSignal): Promise<string | null> {
  try {
    const limits = { maxBytes: MOST_BYTES, timeoutMs: WITHIN_MS, maxRedirects: 3 };
    const answer = await gate.fetch(url, { ...limits, signal });
    if (answer.status < 200 || answer.status > 299) {
      answer.body.destroy();
      return `The media URL answered ${answer.status}.`;
    }
    for await (const _chunk of answer.body);
    const kind = String(answer.headers['content-type'] ?? '');
    return KINDS.test(kind) ? null : `A message carries no ${kind.slice(0, 60) || 'media without a type'}.`;
  } catch (error) {
    if (error instanceof GateError) return error.message;
    throw error;
  }
}
