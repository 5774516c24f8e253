import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export interface ReceivedEvent {
  readonly type: string;
  readonly session?: Record<string, unknown>;
  readonly item?: Record<string, unknown>;
  readonly audio?: string;
}

export interface RealtimeTurn {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly events: ReceivedEvent[];
  readonly socket: WebSocket;
  send(event: object): void;
}

/** Answers each `response.create` of OpenAI's Realtime protocol as the script says. */
export class RealtimeServer {
  readonly turns: RealtimeTurn[] = [];
  answer: (turn: RealtimeTurn) => void;
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer, answer: (turn: RealtimeTurn) => void) {
    this.#server = server;
    this.answer = answer;
    server.on('connection', (socket, { url, headers }) => {
      const send = (event: object) => socket.send(JSON.stringify(event));
      const turn: RealtimeTurn = { path: url ?? '', headers, events: [], socket, send };
      this.turns.push(turn);
      send({ type: 'session.created', session: {} });
      socket.on('message', (data: Buffer) => {
        const event = JSON.parse(data.toString()) as ReceivedEvent;
        turn.events.push(event);
        if (event.type === 'session.update') send({ type: 'session.updated', session: event.session });
        if (event.type === 'response.create') this.answer(turn);
      });
    });
  }

  static async start(answer: (turn: RealtimeTurn) => void): Promise<RealtimeServer> {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => server.once('listening', resolve));
    return new RealtimeServer(server, answer);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  get last(): RealtimeTurn {
    return this.turns.at(-1) as RealtimeTurn;
  }

  async close(): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export const words = (delta: string) => ({ type: 'response.output_text.delta', delta });
export const transcript = (delta: string) => ({ type: 'response.output_audio_transcript.delta', delta });
export const sound = (pcm: Uint8Array) => ({
  type: 'response.output_audio.delta',
  delta: Buffer.from(pcm).toString('base64'),
});
export const soundDone = { type: 'response.output_audio.done' };
export const call = (id: string, name: string, args: string) => ({
  type: 'response.output_item.done',
  item: { type: 'function_call', call_id: id, name, arguments: args },
});
export const done = (response: object = { status: 'completed' }) => ({ type: 'response.done', response });

export const saying =
  (...events: readonly object[]) =>
  (turn: RealtimeTurn): void => {
    for (const event of [...events, done()]) turn.send(event);
  };
