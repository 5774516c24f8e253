import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The chat-completions server answers after a known delay with known words; `#` in them is the number of the answer,
 * because a cache serves repeated speech (docs/lab/processors.md).
 */
export class ScriptedBrain {
  answer = 'All right, I have noted that.';
  sequence: readonly string[] = [];
  readonly answers = new Map<string, string>();
  delayMs = 0;
  readonly asked: { at: number; answeredAt: number; text: string }[] = [];
  #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const at = performance.now();
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: string }[] };
        setTimeout(() => {
          this.asked.push({ at, answeredAt: performance.now(), text: body.messages.at(-1)?.content ?? '' });
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          const prompt = body.messages[0]?.content ?? '';
          const known = [...this.answers].find(([words]) => prompt.includes(words));
          const next = this.sequence[(this.asked.length - 1) % Math.max(1, this.sequence.length)];
          const content = (known?.[1] ?? next ?? this.answer).replaceAll('#', String(this.asked.length));
          const chunk = { choices: [{ delta: { content }, finish_reason: 'stop' }] };
          response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
        }, this.delayMs);
      });
    });
  }

  static async start(): Promise<ScriptedBrain> {
    const brain = new ScriptedBrain();
    await new Promise<void>((resolve) => brain.#server.listen(0, '127.0.0.1', resolve));
    return brain;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
