import { ConnectionError, frameError, SocketClosedError, TrunklineError } from './errors.js';
import type {
  OmniClientConfigure,
  OmniClientFrame,
  OmniServerConfigured,
  OmniServerFrame,
  OmniServerToolCall,
  OmniServerTranscript,
} from './rest/types.gen.js';
import { type Address, type Bytes, Connection } from './sockets.js';

export type { OmniServerFrame, OmniServerTranscript };

const AUDIO = 1;
const TRANSCRIPT = 2;
const CONTROL = 3;
/** The server closed because its node drains, and the connection broke. */
const RESUMABLE_CLOSES: ReadonlySet<number> = new Set([1001, 1006]);
const TRY_LATER = 1013;
const ANSWER_WITHIN_MS = 3_000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 1_000;
const PINGS_BEFORE_SILENCE = 4;

export interface OmniOptions {
  readonly rate?: 8000 | 16_000 | 24_000;
  /** The id of an agent, or a tag of yours. */
  readonly sessionLabel?: string;
  readonly configure?: Omit<OmniClientConfigure, 'type' | 'tools'> & {
    readonly tools?: readonly Record<string, unknown>[];
  };
  /** What runs when the agent calls a tool of `configure.tools`; a call that comes twice runs once. */
  readonly tools?: Readonly<Record<string, (args: Record<string, unknown>) => unknown>>;
  /** Whether a call whose connection breaks is resumed over another connection; true by default. */
  readonly resume?: boolean;
}

export type OmniEvent =
  | { readonly kind: 'audio'; readonly pcm: Uint8Array<ArrayBuffer> }
  | ({ readonly kind: 'transcript' } & OmniServerTranscript)
  | { readonly kind: 'event'; readonly event: OmniServerFrame }
  /** The connection broke, and the call went on over another one. Audio sent between the two is lost. */
  | { readonly kind: 'connection'; readonly state: 'lost' | 'resumed' };

export class Omni {
  readonly #address: Address;

  constructor(address: Address) {
    this.#address = address;
  }

  /** A call to an agent, configured: `session.configured` says what was granted. */
  async connect(options: OmniOptions = {}): Promise<OmniSession> {
    const { rate = 16_000, sessionLabel, configure = {}, tools = {}, resume = true } = options;
    const query = { format: 'pcm16', rate, session_label: sessionLabel };
    const open = (timeoutMs?: number) => Connection.open(this.#address, '/v1/omni', query, timeoutMs);
    const first = await configured(await open(), configure as Omit<OmniClientConfigure, 'type'>);
    return new OmniSession(first, tools, resume ? open : null);
  }
}

interface Configured {
  readonly connection: Connection;
  readonly messages: AsyncIterator<OmniEvent>;
  readonly early: OmniEvent[];
  readonly configured: OmniServerConfigured;
}

async function configured(
  connection: Connection,
  configure: Omit<OmniClientConfigure, 'type'>,
): Promise<Configured> {
  connection.send(framed({ ...configure, type: 'configure' }));
  const messages = read(connection);
  const early: OmniEvent[] = [];
  for (;;) {
    const { done, value } = await messages.next();
    if (done) throw new Error('the call ended before it was configured');
    early.push(value);
    if (value.kind === 'event' && value.event.event === 'configured')
      return { connection, messages, early, configured: value.event };
  }
}

/** Audio, transcripts and events come by `for await`, until the call ends. */
export class OmniSession implements AsyncIterable<OmniEvent> {
  #current: Configured;
  readonly #tools: NonNullable<OmniOptions['tools']>;
  readonly #open: ((timeoutMs: number) => Promise<Connection>) | null;
  readonly #results = new Map<string, Promise<object>>();
  #isEnding = false;
  /** Holds the controls that were sent while no connection was there; null while one is. */
  #held: OmniClientFrame[] | null = null;
  #resumed: Promise<void> = Promise.resolve();
  /** Was opened while the server was silent on the current connection. */
  #spare: Connection | null = null;

  constructor(
    first: Configured,
    tools: NonNullable<OmniOptions['tools']>,
    open: ((timeoutMs: number) => Promise<Connection>) | null,
  ) {
    this.#current = first;
    this.#tools = tools;
    this.#open = open;
    this.#watch();
  }

  /** The connection that has the call now: another one after each resume. */
  get connection(): Connection {
    return this.#current.connection;
  }

  get configured(): OmniServerConfigured {
    return this.#current.configured;
  }

  /** PCM16 little-endian at the session's rate: 20 ms or more a time. */
  sendAudio(pcm: Bytes): void {
    const bytes = ArrayBuffer.isView(pcm)
      ? new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength)
      : new Uint8Array(pcm);
    const frame = new Uint8Array(bytes.length + 1);
    frame[0] = AUDIO;
    frame.set(bytes, 1);
    this.connection.send(frame);
  }

  /** Any control of the contract: `session.send({ type: 'dtmf', digits: '1#' })`. */
  send(control: OmniClientFrame): void {
    if (control.type === 'end') this.#isEnding = true;
    if (this.#held === null) this.connection.send(framed(control));
    else this.#held.push(control);
  }

  /** A turn of the caller, typed. */
  userText(text: string): void {
    this.send({ type: 'user_text', text });
  }

  say(text: string, interrupt = false): void {
    this.send({ type: 'say', text, interrupt });
  }

  interrupt(): void {
    this.send({ type: 'interrupt' });
  }

  /** The call ends; `ended` still comes. */
  end(): void {
    this.send({ type: 'end' });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OmniEvent, void> {
    for (;;) {
      const next = await this.#next();
      if (next === null) return;
      if (next.kind === 'event' && next.event.event === 'pong') continue;
      if (next.kind === 'event' && next.event.event === 'tool_call') void this.#answer(next.event);
      if (this.#canResume && isDrained(next)) continue;
      yield next;
      if (next.kind !== 'connection' || next.state !== 'lost') continue;
      await this.#resumed;
      yield { kind: 'connection', state: 'resumed' };
    }
  }

  async #next(): Promise<OmniEvent | null> {
    const { early, messages, connection } = this.#current;
    const first = early.shift();
    if (first !== undefined) return first;
    try {
      const { done, value } = await messages.next();
      return done ? null : value;
    } catch (error) {
      const isBroken = error instanceof SocketClosedError && RESUMABLE_CLOSES.has(error.closeCode);
      if (!isBroken || !this.#canResume) throw error;
      this.#held = [];
      // A close frame on a connection that only stalls would end the call before it is resumed.
      this.#resumed = this.#resume().finally(() => connection.close());
      this.#resumed.catch(() => undefined);
      return { kind: 'connection', state: 'lost' };
    }
  }

  /**
   * Pings the server, and abandons the connection where nothing comes any more although another connection can be opened: then
   * it is the server that hangs, and not the network. Ticks are counted, so that a page that slept does not take its own sleep
   * for the server's.
   */
  #watch(): void {
    const { connection, configured } = this.#current;
    const silentAfterMs = configured.resume?.silent_after_ms;
    if (silentAfterMs === undefined || this.#open === null) return;
    let received = -1;
    let unanswered = 0;
    let isOpening = false;
    const look = async () => {
      unanswered = connection.received === received ? unanswered + 1 : 0;
      received = connection.received;
      connection.send(framed({ type: 'ping' }));
      if (unanswered < PINGS_BEFORE_SILENCE || isOpening) return;
      isOpening = true;
      const spare = await this.#open!(ANSWER_WITHIN_MS).catch(() => null);
      isOpening = false;
      if (spare === null) return;
      const isSilent = connection.received === received && unanswered >= PINGS_BEFORE_SILENCE;
      if (!isSilent || this.#isEnding || this.connection !== connection) {
        spare.close();
        return;
      }
      clearInterval(timer);
      this.#spare = spare;
      connection.abandon(`the server was silent for ${silentAfterMs} ms`);
    };
    const timer = setInterval(() => void look(), silentAfterMs / PINGS_BEFORE_SILENCE);
    void connection.closed.then(() => clearInterval(timer));
  }

  get #canResume(): boolean {
    return this.#open !== null && !this.#isEnding && this.configured.resume !== undefined;
  }

  async #resume(): Promise<void> {
    const { token = '', ttl_s = 0 } = this.configured.resume ?? {};
    const until = Date.now() + 1000 * ttl_s;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(MAX_RETRY_MS, 2 * waitMs)) {
      try {
        this.#current = await this.#resumeOnce(token);
        this.#watch();
        break;
      } catch (error) {
        if (!mayPass(error) || Date.now() + waitMs > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
    const held = this.#held ?? [];
    this.#held = null;
    for (const control of held) this.send(control);
  }

  async #resumeOnce(token: string): Promise<Configured> {
    const connection = this.#spare ?? (await this.#open!(ANSWER_WITHIN_MS));
    this.#spare = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new ConnectionError('the call was not resumed in time')),
        ANSWER_WITHIN_MS,
      );
    });
    try {
      return await Promise.race([configured(connection, { resume: token }), late]);
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async #answer({ call_id, name, arguments: args }: OmniServerToolCall): Promise<void> {
    const tool = this.#tools[name];
    if (!tool) return;
    const { connection } = this;
    const known = this.#results.get(call_id) ?? resultOf(tool, args as Record<string, unknown>);
    this.#results.set(call_id, known);
    const result = await known;
    // A resumed call no longer waits for the tools that ran when its connection broke.
    if (connection === this.connection) connection.send(framed({ type: 'tool_result', call_id, ...result }));
  }
}

/** The node closes the connection with 1001 next. */
const isDrained = (event: OmniEvent): boolean =>
  event.kind === 'event' && event.event.event === 'ended' && event.event.reason === 'draining';

/** A node that is full, that drains or that can not be reached may have a neighbor that takes the call. */
function mayPass(error: unknown): boolean {
  if (error instanceof SocketClosedError)
    return RESUMABLE_CLOSES.has(error.closeCode) || error.closeCode === TRY_LATER;
  if (error instanceof TrunklineError) return error.is('capacity', 'unavailable');
  return error instanceof ConnectionError;
}

async function resultOf(
  tool: (args: Record<string, unknown>) => unknown,
  args: Record<string, unknown>,
): Promise<object> {
  try {
    return { result: (await tool(args)) ?? null };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function framed(control: object): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(control));
  const frame = new Uint8Array(json.length + 1);
  frame[0] = CONTROL;
  frame.set(json, 1);
  return frame;
}

async function* read(connection: Connection): AsyncGenerator<OmniEvent, void> {
  for await (const message of connection) {
    if (typeof message === 'string') continue;
    const rest = message.slice(1);
    if (message[0] === AUDIO) {
      yield { kind: 'audio', pcm: rest };
      continue;
    }
    const json: unknown = JSON.parse(new TextDecoder().decode(rest));
    if (message[0] === TRANSCRIPT) yield { kind: 'transcript', ...(json as OmniServerTranscript) };
    if (message[0] !== CONTROL) continue;
    const event = json as OmniServerFrame;
    if (event.event === 'error') throw frameError(event.error);
    yield { kind: 'event', event };
  }
}
