import { ProviderError } from './contract.ts';
import { toProviderError } from './faults.ts';
import { messageOf, textOr } from './messages.ts';
import {
  describeRecognition,
  type RecognitionProvider,
  type RecognitionProviderOptions,
  type RecognitionRequest,
  type RecognitionStream,
} from './recognition.ts';

const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** The results of the longest utterance have fewer bytes. */
const MAX_RECEIVED_BYTES = 4 * 1024 * 1024;
/** Servers refuse a longer request line than 8 KiB, of which the stored URL may have 2 KiB. */
const MAX_KEYTERM_CHARACTERS = 4_096;

/** Deepgram's `listen` socket hears the utterance while it is spoken. */
export function deepgramRecognition(options: RecognitionProviderOptions): RecognitionProvider {
  const listen = (request: RecognitionRequest) => {
    try {
      return new Listening(options, request);
    } catch (error) {
      throw toProviderError(error);
    }
  };
  return { ...describeRecognition(options), listen };
}

class Listening implements RecognitionStream {
  readonly #socket: ReturnType<RecognitionProviderOptions['gate']['webSocket']>;
  readonly #texts: string[] = [];
  #waiting: (Uint8Array | string)[] | null = [];
  #waitingBytes = 0;
  #receivedBytes = 0;
  #failure: ProviderError | null = null;
  #asking: { resolve(text: string): void; reject(error: ProviderError): void }[] = [];
  #isClosed = false;

  constructor(options: RecognitionProviderOptions, request: RecognitionRequest) {
    this.#socket = options.gate.webSocket(endpointOf(options, request), {
      ...(options.key === undefined ? {} : { authorization: `Token ${options.key}` }),
      ...options.headers,
    });
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('open', () => {
      const waiting = this.#waiting ?? [];
      this.#waiting = null;
      for (const one of waiting) this.#socket.send(one as Uint8Array<ArrayBuffer>);
    });
    this.#socket.addEventListener('message', ({ data }) => {
      // The process would end by an exception of a listener.
      try {
        this.#onMessage(data as string | ArrayBuffer);
      } catch (error) {
        this.#fail(toProviderError(error));
      }
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

  #onMessage(data: string | ArrayBuffer): void {
    this.#receivedBytes += typeof data === 'string' ? data.length : data.byteLength;
    if (this.#receivedBytes > MAX_RECEIVED_BYTES)
      throw new ProviderError('garbage', 'the provider sent more than the text of an utterance');
    if (typeof data !== 'string') return;
    const said = messageOf(data);
    if (said.type === 'Error')
      throw new ProviderError(
        'refused',
        `the provider returned an error: ${textOr(said.description, 'Error')}`,
      );
    if (said.type !== 'Results' || said.is_final !== true) return;
    const text = transcriptIn(said.channel);
    if (text !== '') this.#texts.push(text);
    if (said.from_finalize === true) this.#asking.shift()?.resolve(this.#texts.join(' '));
  }

  #fail(error: ProviderError): void {
    if (this.#isClosed || this.#failure !== null) return;
    this.#failure = error;
    for (const { reject } of this.#asking.splice(0)) reject(error);
    this.#socket.close();
  }
}

function transcriptIn(channel: unknown): string {
  const { alternatives } = (channel ?? {}) as { readonly alternatives?: unknown };
  const [first] = Array.isArray(alternatives) ? (alternatives as unknown[]) : [];
  return textOr(((first ?? {}) as { readonly transcript?: unknown }).transcript, '').trim();
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
  let left = MAX_KEYTERM_CHARACTERS;
  for (const keyterm of vocabulary) {
    left -= new URLSearchParams({ keyterm }).toString().length + 1;
    if (left < 0) break;
    at.searchParams.append('keyterm', keyterm);
  }
  return at.href;
}
