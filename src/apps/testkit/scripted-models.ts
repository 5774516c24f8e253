import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelLine } from './suite.ts';

interface Message {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
}

/** A chat-completions server that answers by scripts; each suite has its own path. */
export class ScriptedModels {
  readonly #scripts: (readonly ModelLine[])[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const script = this.#scripts[Number(/^\/(\d+)\//.exec(request.url ?? '')?.[1] ?? -1)];
        if (script === undefined) return void response.writeHead(404).end();
        const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: Message[] };
        answer(response, script, messages);
      });
    });
  }

  static async start(): Promise<ScriptedModels> {
    const models = new ScriptedModels();
    await new Promise<void>((resolve) => models.#server.listen(0, '127.0.0.1', resolve));
    return models;
  }

  add(script: readonly ModelLine[]): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${this.#scripts.push(script) - 1}/v1`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function answer(response: ServerResponse, script: readonly ModelLine[], messages: readonly Message[]): void {
  const last = messages.at(-1);
  const asked =
    last?.role === 'tool' ? messages.findLast(({ tool_calls }) => tool_calls !== undefined) : undefined;
  const tool = asked?.tool_calls?.at(-1)?.function.name;
  const said = last?.content ?? '';
  const line = script.find(({ when, after_tool }) => {
    if (tool !== undefined) return after_tool === tool;
    return after_tool === undefined && (when === undefined || new RegExp(when, 'i').test(said));
  });
  const found = line?.when === undefined ? null : new RegExp(line.when, 'i').exec(said);
  const filled = (text: string) => fill(text, found, last?.role === 'tool' ? said : null);
  const delta =
    line?.call === undefined
      ? { content: filled(line?.say ?? 'I do not know.') }
      : {
          tool_calls: [
            {
              index: 0,
              id: `call_${messages.length}`,
              type: 'function',
              function: callOf(line.call, filled),
            },
          ],
        };
  const finish_reason = line?.call === undefined ? 'stop' : 'tool_calls';
  setTimeout(() => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\ndata: [DONE]\n\n`);
  }, line?.delay_ms ?? 0);
}

const callOf = (call: NonNullable<ModelLine['call']>, filled: (text: string) => string) => ({
  name: call.name,
  arguments: filled(JSON.stringify(call.arguments ?? {})),
});

/** `$1` is a group of `when`; `{field}` is a field of the tool's result. */
function fill(text: string, found: RegExpExecArray | null, result: string | null): string {
  const grouped = text.replaceAll(/\$(\d)/g, (_, group: string) => found?.[Number(group)] ?? '');
  if (result === null) return grouped;
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(result) as Record<string, unknown>;
  } catch {
    return grouped;
  }
  const flat = { ...fields, ...((fields.result as object | undefined) ?? {}) } as Record<string, unknown>;
  return grouped.replaceAll(/\{([a-z_]+)\}/gi, (whole, name: string) => String(flat[name] ?? whole));
}
