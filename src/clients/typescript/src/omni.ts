import { frameError } from './errors.js';
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

export interface OmniOptions {
  readonly rate?: 8000 | 16_000 | 24_000;
  /** The id of an agent, or a tag of yours. */
  readonly sessionLabel?: string;
  readonly configure?: Omit<OmniClientConfigure, 'type' | 'tools'> & {
    readonly tools?: readonly Record<string, unknown>[];
  };
  /** What runs when the agent calls a tool of `configure.tools`; a call that comes twice runs once. */
  readonly tools?: Readonly<Record<string, (args: Record<string, unknown>) => unknown>>;
}

export type OmniEvent =
  | { readonly kind: 'audio'; readonly pcm: Uint8Array<ArrayBuffer> }
  | ({ readonly kind: 'transcript' } & OmniServerTranscript)
  | { readonly kind: 'event'; readonly event: OmniServerFrame };

export class Omni {
  readonly #address: Address;

  constructor(address: Address) {
    this.#address = address;
  }

  /** A call to an agent, configured: `session.configured` says what was granted. */
  async connect(options: OmniOptions = {}): Promise<OmniSession> {
    const { rate = 16_000, sessionLabel, configure = {}, tools = {} } = options;
    const connection = await Connection.open(this.#address, '/v1/omni', {
      format: 'pcm16',
      rate,
      session_label: sessionLabel,
    });
    return OmniSession.begin(connection, configure as Omit<OmniClientConfigure, 'type'>, tools);
  }
}

/** Audio, transcripts and events come by `for await`, until the call ends. */
export class OmniSession implements AsyncIterable<OmniEvent> {
  readonly connection: Connection;
  readonly configured: OmniServerConfigured;
  readonly #messages: AsyncIterator<OmniEvent>;
  readonly #early: OmniEvent[];
  readonly #tools: NonNullable<OmniOptions['tools']>;
  readonly #results = new Map<string, Promise<object>>();

  private constructor(
    connection: Connection,
    messages: AsyncIterator<OmniEvent>,
    early: OmniEvent[],
    configured: OmniServerConfigured,
    tools: NonNullable<OmniOptions['tools']>,
  ) {
    this.connection = connection;
    this.configured = configured;
    this.#messages = messages;
    this.#early = early;
    this.#tools = tools;
  }

  static async begin(
    connection: Connection,
    configure: Omit<OmniClientConfigure, 'type'>,
    tools: NonNullable<OmniOptions['tools']>,
  ): Promise<OmniSession> {
    connection.send(framed({ ...configure, type: 'configure' }));
    const messages = read(connection);
    const early: OmniEvent[] = [];
    for (;;) {
      const { done, value } = await messages.next();
      if (done) throw new Error('the call ended before it was configured');
      early.push(value);
      if (value.kind === 'event' && value.event.event === 'configured')
        return new OmniSession(connection, messages, early, value.event, tools);
    }
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
    this.connection.send(framed(control));
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
      const early = this.#early.shift();
      const { done, value } = early ? { done: false, value: early } : await this.#messages.next();
      if (done) return;
      if (value.kind === 'event' && value.event.event === 'tool_call') void this.#answer(value.event);
      yield value;
    }
  }

  async #answer({ call_id, name, arguments: args }: OmniServerToolCall): Promise<void> {
    const tool = this.#tools[name];
    if (!tool) return;
    const known = this.#results.get(call_id) ?? resultOf(tool, args as Record<string, unknown>);
    this.#results.set(call_id, known);
    this.send({ type: 'tool_result', call_id, ...(await known) } as OmniClientFrame);
  }
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
