import { ApiError } from '../../foundation/platform/errors.ts';

export class ProviderFault extends Error {
  readonly status: number;
  /** The provider's error code; 138006 means that the person has not permitted calls. */
  readonly code: number | null;

  constructor(status: number, code: number | null, message: string) {
    super(message);
    this.name = 'ProviderFault';
    this.status = status;
    this.code = code;
  }

  get mayPass(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  get noPermission(): boolean {
    return this.code === 138_006;
  }
}

export interface MsgappAccount {
  readonly phoneNumberId: string;
  readonly accessToken: string;
}

export interface CallAction {
  readonly callId: string;
  readonly action: 'pre_accept' | 'accept' | 'reject' | 'terminate';
  readonly sdp?: string;
}

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 256 * 1024;
const PRODUCT = { messaging_product: 'whatsapp' };

export class MsgappProvider {
  readonly #baseUrl: string | null;
  readonly #timeoutMs: number;

  constructor(baseUrl: string | null, timeoutMs = TIMEOUT_MS) {
    this.#baseUrl = baseUrl?.replace(/\/+$/, '') ?? null;
    this.#timeoutMs = timeoutMs;
  }

  async settings(account: MsgappAccount): Promise<Record<string, unknown>> {
    return await this.#ask(account, 'GET', 'settings');
  }

  async pushSettings(account: MsgappAccount, calling: unknown): Promise<void> {
    await this.#ask(account, 'POST', 'settings', { calling });
  }

  async act(account: MsgappAccount, { callId, action, sdp }: CallAction): Promise<void> {
    const session = sdp === undefined ? {} : { session: { sdp_type: 'answer', sdp } };
    await this.#ask(account, 'POST', 'calls', { ...PRODUCT, call_id: callId, action, ...session });
  }

  async connect(account: MsgappAccount, to: string, sdp: string): Promise<string> {
    const session = { sdp_type: 'offer', sdp };
    const answer = await this.#ask(account, 'POST', 'calls', { ...PRODUCT, to, action: 'connect', session });
    const [call] = Array.isArray(answer.calls) ? (answer.calls as { id?: unknown }[]) : [];
    if (typeof call?.id === 'string' && call.id !== '') return call.id;
    throw new ProviderFault(200, null, 'the provider returned no call ID');
  }

  async askPermission(account: MsgappAccount, to: string, words: string): Promise<void> {
    const interactive = {
      type: 'call_permission_request',
      action: { name: 'call_permission_request' },
      body: { text: words },
    };
    const message = { ...PRODUCT, recipient_type: 'individual', to, type: 'interactive', interactive };
    await this.#ask(account, 'POST', 'messages', message);
  }

  async #ask(
    { phoneNumberId, accessToken }: MsgappAccount,
    method: 'GET' | 'POST',
    what: string,
    body?: object,
  ): Promise<Record<string, unknown>> {
    if (this.#baseUrl === null)
      throw new ApiError('not_found', 'no messaging provider is configured: set TRUNKLINE_MSGAPP_URL');
    const url = `${this.#baseUrl}/${encodeURIComponent(phoneNumberId)}/${what}`;
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      return await read(await fetch(url, { method, headers, redirect: 'error', signal, ...sent }));
    } catch (cause) {
      if (cause instanceof ProviderFault) throw cause;
      throw new ProviderFault(0, null, `the provider could not be reached: ${(cause as Error).message}`);
    }
  }
}

async function read(answer: Response): Promise<Record<string, unknown>> {
  const bytes = await whole(answer);
  let json: Record<string, unknown>;
  try {
    json = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
  } catch {
    throw new ProviderFault(
      answer.status,
      null,
      `the provider responded with status ${answer.status} without JSON`,
    );
  }
  if (answer.ok && typeof json === 'object' && json !== null) return json;
  const { code, message } = (json?.error ?? {}) as { code?: unknown; message?: unknown };
  const said = typeof message === 'string' ? message.slice(0, 300) : 'no reason';
  throw new ProviderFault(
    answer.status,
    typeof code === 'number' ? code : null,
    `the provider responded with status ${answer.status}: ${said}`,
  );
}

async function whole(answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES)
      throw new ProviderFault(answer.status, null, 'the response of the provider is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
