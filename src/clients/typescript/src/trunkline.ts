import { Amd } from './amd.js';
import { errorOf, TrunklineError } from './errors.js';
import { Hear } from './hear.js';
import { Omni } from './omni.js';
import { createClient, createConfig } from './rest/client/index.js';
import { Rest } from './rest/sdk.gen.js';
import { type RetryOptions, retrying } from './retries.js';
import { Speak } from './speak.js';

export interface TrunklineOptions extends RetryOptions {
  /** Where the server is: `https://voice.example.com`. */
  readonly baseUrl: string;
  /** An API key, or a browser's session token. None for what needs none. */
  readonly apiKey?: string;
}

/** A server and a key: everything else is reached from here. */
export class Trunkline {
  /** A typed method for each operation of /openapi.json. It answers the body, and throws `TrunklineError`. */
  readonly rest: Rest;
  readonly hear: Hear;
  readonly speak: Speak;
  readonly omni: Omni;
  readonly amd: Amd;

  constructor(options: TrunklineOptions) {
    const baseUrl = options.baseUrl.replace(/\/+$/, '');
    const apiKey = options.apiKey ?? '';
    const send = retrying(options);
    const client = createClient(
      createConfig({
        baseUrl,
        throwOnError: true,
        fetch: ((request: Request) => send(request)) as typeof fetch,
        headers: apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` },
      }),
    );
    client.interceptors.error.use((error, response: Response | undefined) =>
      response === undefined || error instanceof TrunklineError
        ? error
        : errorOf(error, response.status, response.headers),
    );
    this.rest = new Rest({ client });
    const address = { baseUrl, apiKey };
    this.hear = new Hear(address, this.rest);
    this.speak = new Speak(address, send);
    this.omni = new Omni(address);
    this.amd = new Amd(address);
  }
}
