import { ProviderError } from './contract.ts';
import {
  describeRecognition,
  type RecognitionProvider,
  type RecognitionProviderOptions,
  type RecognitionRequest,
  type RecognitionStream,
} from './recognition.ts';

const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Deepgram's `listen` socket hears the utterance while it is spoken. */
export function deepgramRecognition(options: RecognitionProviderOptions): RecognitionProvider {
  return { ...describeRecognition(options), listen: (request) => new Listening(options, request) };
}

interface Results {
  readonly type?: unknown;
  readonly is_final?: unknown;
  readonly from_finalize?: unknown;
  readonly description?: unknown;
  readonly channel?: { readonly alternatives?: readonly { readonly transcript?: unknown }[] };
}

class Listening implements RecognitionStream {
  readonly #socket: ReturnType<RecognitionProviderOptions['gate']['webSocket']>;
  readonly #texts: string[] = [];
  #waiting: (Uint8Array | string)[] | null = [];
  #waitingBytes = 0;
  #failure: ProviderError | null = null;
  #asking: { resolve(text: string): void; reject(error: ProviderError): void }[] = [];
  #isClosed = false;

  constructor(options: RecognitionProviderOptions, request: RecognitionRequest) {
    this.#socket = options.gate.webSocket(endpointOf(options, request), {
      ...(options.key === undefined ? {} : { authorization: `Token ${options.key}` }),
      ...options.headers,
    });
    this.#socket.addEventListener('open', () => {
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      for (const one of waiting) this.#socket.send(one as Uint8Array<ArrayBuffer>);
    });
    this.#socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.#onMessage(data);
    });
    this.#socket.addEventListener('error', ({ message }) =>
      this.#fail(new ProviderError('unreachable', `the socket of the provider failed: ${message}`)),
    );
    this.#socket.addEventListener('close', ({ code }) =>
      this.#fail(new ProviderError('incomplete', `the provider closed its socket with ${code}`)),
    );
  }

  push(pcm: Uint8Array): void {
    this.#send(Uint8Array.from(pcm));
  }

  text(): Promise<string> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#asking.push({ resolve, reject });
      this.#send(JSON.stringify({ type: 'Finalize' }));
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#asking = [];
    this.#socket.close();
  }

  #send(one: Uint8Array | string): void {
    if (this.#isClosed || this.#failure !== null) return;
    if (this.#waiting === null) {
      this.#socket.send(one as Uint8Array<ArrayBuffer>);
      return;
    }
    this.#waitingBytes += one.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES)
      this.#fail(new ProviderError('timeout', 'the provider does not accept a connection'));
    else this.#waiting.push(one);
  }

  #onMessage(data: string): void {
    let said: Results;
    try {
      said = JSON.parse(data) as Results;
    } catch {
      this.#fail(new ProviderError('garbage', 'the provider sent a message that is not JSON'));
      return;
    }
    if (said.type === 'Error') {
      this.#fail(
        new ProviderError(
          'refused',
          `the provider returned an error: ${String(said.description ?? 'Error')}`,
        ),
      );
      return;
    }
    if (said.type !== 'Results' || said.is_final !== true) return;
    const text = said.channel?.alternatives?.[0]?.transcript;
    if (typeof text === 'string' && text.trim() !== '') this.#texts.push(text.trim());
    if (said.from_finalize === true) this.#asking.shift()?.resolve(this.#texts.join(' '));
  }

  #fail(error: ProviderError): void {
    if (this.#isClosed) return;
    this.#failure ??= error;
    for (const { reject } of this.#asking.splice(0)) reject(this.#failure);
  }
}

function endpointOf(
  options: RecognitionProviderOptions,
  { rate, language, vocabulary }: RecognitionRequest,
): string {
  const at = new URL(options.url);
  at.pathname = `${at.pathname.replace(/(\/v1(\/listen)?)?\/*$/, '')}/v1/listen`;
  const wanted: Record<string, string> = {
    model: options.model ?? 'nova-3',
    language,
    encoding: 'linear16',
    sample_rate: String(rate),
    channels: '1',
    punctuate: 'true',
    smart_format: 'true',
    interim_results: 'false',
    endpointing: 'false',
  };
  for (const [name, value] of Object.entries(wanted)) at.searchParams.set(name, value);
  for (const term of vocabulary) at.searchParams.append('keyterm', term);
  return at.href;
}
