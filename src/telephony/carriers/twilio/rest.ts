import { request } from 'undici';
import { CarrierError } from '../contract.ts';

export interface TwilioAccount {
  readonly accountSid: string;
  readonly authToken: string;
  readonly apiUrl: string;
}

type Json = Readonly<Record<string, unknown>>;
type Form = Readonly<Record<string, string | readonly string[]>>;

const TIMEOUT_MS = 10_000;
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * The carrier's REST interface: forms in, JSON out. A failure is a CarrierError that says whether the request took
 * effect.
 */
export class TwilioRest {
  readonly #account: TwilioAccount;
  readonly #authorization: string;

  constructor(account: TwilioAccount) {
    this.#account = account;
    const credential = Buffer.from(`${account.accountSid}:${account.authToken}`).toString('base64');
    this.#authorization = `Basic ${credential}`;
  }

  get(path: string, query: Readonly<Record<string, string>> = {}): Promise<Json> {
    const search = new URLSearchParams(query).toString();
    return this.#send('GET', search === '' ? path : `${path}?${search}`);
  }

  post(path: string, form: Form): Promise<Json> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(form)) {
      for (const one of typeof value === 'string' ? [value] : value) body.append(name, one);
    }
    return this.#send('POST', path, body.toString());
  }

  async delete(path: string): Promise<void> {
    await this.#send('DELETE', path);
  }

  async #send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: string): Promise<Json> {
    const { apiUrl, accountSid } = this.#account;
    const answer = await request(`${apiUrl}/2010-04-01/Accounts/${accountSid}/${path}`, {
      method,
      headers: {
        authorization: this.#authorization,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      ...(body === undefined ? {} : { body }),
    }).catch((error: Error & { code?: string }) => {
      const sent = !NOT_SENT.has(error.code ?? '');
      const kind = sent && method === 'POST' ? 'unclear' : 'unreachable';
      throw new CarrierError(kind, `the carrier could not be reached: ${error.code ?? error.message}`, {
        cause: error,
      });
    });
    const text = await answer.body.text();
    const json = jsonOf(text);
    if (answer.statusCode < 300) return json;
    if (answer.statusCode >= 500)
      throw new CarrierError(
        method === 'POST' ? 'unclear' : 'unreachable',
        `the carrier responded with status ${answer.statusCode}`,
      );
    const said = typeof json.message === 'string' ? json.message : `status ${answer.statusCode}`;
    throw new CarrierError('refused', `${said} (${String(json.code ?? answer.statusCode)})`);
  }
}

function jsonOf(text: string): Json {
  try {
    return (text === '' ? {} : JSON.parse(text)) as Json;
  } catch {
    return {};
  }
}
