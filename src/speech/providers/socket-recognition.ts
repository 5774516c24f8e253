import { ProviderError } from './contract.ts';
import { toProviderError } from './faults.ts';
import { messageOf } from './messages.ts';
import type { RecognitionProviderOptions, RecognitionStream } from './recognition.ts';

/** One utterance by the messages of one vendor. */
export interface RecognitionProtocol {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Asks for the text of all audio so far. */
  readonly finalize: string;
  audio(pcm: Uint8Array): Uint8Array | string;
  /** Returns the text of final results, and whether they end with the last audio. Throws ProviderError; nothing else. */
  resultIn(message: Readonly<Record<string, unknown>>): RecognitionResult | null;
}

export interface RecognitionResult {
  readonly text: string;
  readonly isLast: boolean;
}

const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** The results of the longest utterance have fewer bytes. */
const MAX_RECEIVED_BYTES = 4 * 1024 * 1024;

/** A socket that hears the utterance while it is spoken. */
export class SocketRecognition implements RecognitionStream {
  readonly #protocol: RecognitionProtocol;
  readonly #socket: ReturnType<RecognitionProviderOptions['gate']['webSocket']>;
  readonly #texts: string[] = [];
  #waiting: (Uint8Array | string)[] | null = [];
  #waitingBytes = 0;
  #receivedBytes = 0;
  #failure: ProviderError | null = null;
  #asking: { resolve(text: string): void; reject(error: ProviderError): void }[] = [];
  #isClosed = false;

  /** Throws ProviderError where no request can be made. */
  constructor({ gate }: Pick<RecognitionProviderOptions, 'gate'>, protocol: RecognitionProtocol) {
    this.#protocol = protocol;
    try {
      this.#socket = gate.webSocket(protocol.url, protocol.headers);
    } catch (error) {
      throw toProviderError(error);
    }
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
    this.#send(this.#protocol.audio(Uint8Array.from(pcm)));
  }

  text(): Promise<string> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#asking.push({ resolve, reject });
      this.#send(this.#protocol.finalize);
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
    const result = this.#protocol.resultIn(messageOf(data));
    if (result === null) return;
    const text = result.text.trim();
    if (text !== '') this.#texts.push(text);
    if (result.isLast) this.#asking.shift()?.resolve(this.#texts.join(' '));
  }

  #fail(error: ProviderError): void {
    if (this.#isClosed || this.#failure !== null) return;
    this.#failure = error;
    for (const { reject } of this.#asking.splice(0)) reject(error);
    this.#socket.close();
  }
}
