import { GateError, type UrlGate } from '../../foundation/platform/url-gate/index.ts';

const MOST_BYTES = 5 * 1024 * 1024;
const WITHIN_MS = 20_000;
const KINDS = /^(image|audio|video)\/|^application\/pdf\b|^text\/vcard\b/;

/**
 * Returns why the media can't be sent, or null when it is reachable, small enough and of a type that a message
 * carries. Throws where a retry may succeed.
 */
export async function mediaProblem(gate: UrlGate, url: string, signal: AbortSignal): Promise<string | null> {
  try {
    const limits = { maxBytes: MOST_BYTES, timeoutMs: WITHIN_MS, maxRedirects: 3 };
    const answer = await gate.fetch(url, { ...limits, signal });
    if (answer.status < 200 || answer.status > 299) {
      answer.body.destroy();
      return `The media URL responded with status ${answer.status}.`;
    }
    for await (const _chunk of answer.body);
    const kind = String(answer.headers['content-type'] ?? '');
    return KINDS.test(kind) ? null : `A message cannot carry ${kind.slice(0, 60) || 'media without a type'}.`;
  } catch (error) {
    if (error instanceof GateError) return error.message;
    throw error;
  }
}
