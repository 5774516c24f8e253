import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Brain } from '../../../../src/conversation/brains/index.ts';

export type Script = (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>;

export interface ReceivedRequest {
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  readonly closed: Promise<void>;
}

const INTRODUCTION = 'Say hello in one short sentence.';

/** Makes the brain detect what kind of answers its endpoint gives, as the first call of a process does. */
export async function introduce(brain: Brain): Promise<void> {
  const messages = [{ role: 'user' as const, content: INTRODUCTION }];
  const question = { language: 'en' as const, persona: '', messages, tools: [], passages: [] };
  for await (const _ of brain.respond(question, new AbortController().signal));
}

export class ScriptedEndpoint {
  readonly received: ReceivedRequest[] = [];
  #server: Server;
  #script: Script;
  #introductions: Script | null;

  private constructor(script: Script, introductions: Script | null) {
    this.#script = script;
    this.#introductions = introductions;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** `introductions` answers the detection request, which is not counted; with null the script answers it. */
  static async start(
    script: Script,
    introductions: Script | null = saying('Hello!'),
  ): Promise<ScriptedEndpoint> {
    const endpoint = new ScriptedEndpoint(script, introductions);
    await new Promise<void>((resolve) => endpoint.#server.listen(0, '127.0.0.1', resolve));
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const closed = new Promise<void>((resolve) => response.once('close', () => resolve()));
    const received = {
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>,
      closed,
    };
    const asked = (received.body.messages as { content?: unknown }[] | undefined)?.at(-1)?.content;
    if (this.#introductions !== null && asked === INTRODUCTION) {
      await this.#introductions(received, response);
      return;
    }
    this.received.push(received);
    await this.#script(received, response);
  }
}

export const chatChunk = (delta: Record<string, unknown>, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

export const saying = (...words: string[]): Script => {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const word of words) response.write(chatChunk({ content: word }));
    response.end(`${chatChunk({}, 'stop')}data: [DONE]\n\n`);
  };
};

export const ORDERS: Script = ({ body }, response) => {
  const last = (body.messages as { role: string }[]).at(-1)?.role;
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'look_up_order', arguments: '{"order": "4711"}' },
  };
  const asks = last === 'user' && JSON.stringify(body.tools ?? '').includes('look_up_order');
  const hours = 'We are open from nine to five, from Monday to Friday. '.repeat(4);
  const content = last === 'tool' ? 'It ships on Friday.' : hours;
  response.setHeader('content-type', 'text/event-stream');
  response.write(chatChunk(asks ? { tool_calls: [call] } : { content }));
  response.end(`${chatChunk({}, asks ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
};
