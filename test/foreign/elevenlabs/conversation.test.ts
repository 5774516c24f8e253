import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { conversationsMissing, importedConversations } from '../../edge/surfaces/compat/vendors.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const missing = conversationsMissing();
const model = missing ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = missing
  ? null
  : await World.open({ settings: { TRUNKLINE_BRAIN_URL: model!.url, TRUNKLINE_BRAIN_MODEL: 'scripted' } });
afterAll(() => world?.stop());

const send = async (path: string, body?: object) => {
  const answer = await world!.send(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'xi-api-key': world!.ours.key,
      authorization: `Bearer ${world!.ours.key}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: answer.json as Client };
};

class Report {
  readonly messages: { role: string; message: string }[] = [];
  readonly events: Client[] = [];
  #changed: (() => void)[] = [];

  readonly options = {
    onMessage: ({ role, message }: Client) => this.#add(() => this.messages.push({ role, message })),
    onIncomingEvent: (event: Client) => this.#add(() => this.events.push(event)),
  };

  #add(keep: () => void): void {
    keep();
    for (const wake of this.#changed.splice(0)) wake();
  }

  async until(is: () => boolean): Promise<void> {
    while (!is()) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }
}

describe.skipIf(missing || world?.ready === false)('ElevenLabs’ conversations', { timeout: 60_000 }, () => {
  let agent = '';
  let Conversation: Client;
  beforeAll(async () => {
    Object.assign(globalThis, { WebSocket: globalThis.WebSocket ?? WebSocket });
    ({ Conversation } = (await importedConversations()) as Client);
    const tool = await send('/v1/tools', {
      kind: 'client',
      name: 'look_up_order',
      description: 'Looks an order up.',
      parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
    });
    const made = await send('/v1/agents', {
      name: 'Maya',
      persona: 'You run a shop.',
      greeting: 'Hello {{first_name}}.',
      tool_ids: [tool.json.id],
    });
    expect([tool.status, made.status]).toEqual([201, 201]);
    agent = made.json.id;
  });

  const start = async (options: object) => {
    const report = new Report();
    const { json } = await send(`/elevenlabs/v1/convai/conversation/get-signed-url?agent_id=${agent}`);
    const conversation = await Conversation.startSession({
      signedUrl: json.signed_url,
      connectionType: 'websocket',
      textOnly: true,
      ...report.options,
      ...options,
    });
    return { conversation, report };
  };

  it('greets by dynamic variables, calls a client tool and answers', async () => {
    const called: unknown[] = [];
    const { conversation, report } = await start({
      dynamicVariables: { first_name: 'Ada' },
      clientTools: {
        look_up_order: (parameters: unknown) => {
          called.push(parameters);
          return { ships: 'Friday' };
        },
      },
    });
    expect(conversation.getId()).toMatch(/^ocl_/);
    await report.until(() => report.messages.length > 0);
    conversation.sendUserMessage('Where is order 4711?');
    await report.until(() => report.messages.some(({ message }) => message.includes('Friday')));
    expect(called).toEqual([{ order: '4711' }]);
    expect(report.messages).toEqual([
      { role: 'agent', message: 'Hello Ada.' },
      { role: 'agent', message: 'It ships on Friday.' },
    ]);
    const parts = report.events.filter(({ type }) => type === 'agent_chat_response_part');
    expect(parts.map(({ text_response_part: { text } }) => text).join('')).toBe(
      'Hello Ada.It ships on Friday.',
    );
    await conversation.endSession();
  });

  it('takes overrides of the agent’s words', async () => {
    const { conversation, report } = await start({
      overrides: { agent: { firstMessage: 'Good evening.', prompt: { prompt: 'You run a theatre.' } } },
    });
    await report.until(() => report.messages.length > 0);
    expect(report.messages[0]).toEqual({ role: 'agent', message: 'Good evening.' });
    await conversation.endSession();
  });

  it('speaks in PCM16 at 16 kHz, and hears it', async () => {
    const url = `${world!.url.replace('http', 'ws')}/elevenlabs/v1/convai/conversation?agent_id=${agent}`;
    const socket = new WebSocket(url, ['convai', `bearer.${world!.ours.key}`]);
    const report: Client[] = [];
    socket.on('message', (data) => report.push(JSON.parse(String(data))));
    await once(socket, 'open');
    expect(socket.protocol).toBe('convai');
    socket.send(JSON.stringify({ type: 'conversation_initiation_client_data' }));
    while (!report.some(({ type }) => type === 'agent_response')) {
      const silence = Buffer.alloc(640).toString('base64');
      socket.send(JSON.stringify({ user_audio_chunk: silence }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(report[0]).toMatchObject({
      type: 'conversation_initiation_metadata',
      conversation_initiation_metadata_event: {
        agent_output_audio_format: 'pcm_16000',
        user_input_audio_format: 'pcm_16000',
      },
    });
    const sound = report
      .filter(({ type }) => type === 'audio')
      .map(({ audio_event }) => audio_event.audio_base_64);
    expect(Buffer.concat(sound.map((one: string) => Buffer.from(one, 'base64'))).length).toBeGreaterThan(
      16_000,
    );
    socket.send(JSON.stringify({ type: 'surprise' }));
    while (!report.some(({ type }) => type === 'error')) await once(socket, 'message');
    expect(report.find(({ type }) => type === 'error').error_event).toMatchObject({
      error_type: 'invalid_request',
    });
    socket.close();
  });

  it('is refused an agent that is nobody’s, and an address a second time', async () => {
    const nobodys = 'agt_00000000000000000000';
    const path = '/elevenlabs/v1/convai/conversation/get-signed-url?agent_id=';
    expect((await send(path + nobodys)).status).toBe(404);
    const statusOf = (url: string, key?: string) =>
      new Promise((resolve) => {
        const headers = key === undefined ? {} : { 'xi-api-key': key };
        const socket = new WebSocket(url, ['convai'], { headers });
        socket.on('open', () => resolve(101));
        socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
        socket.on('error', () => undefined);
      });
    const address = `${world!.url.replace('http', 'ws')}/elevenlabs/v1/convai/conversation?agent_id=`;
    expect(await statusOf(address + nobodys, world!.ours.key)).toBe(404);
    expect(await statusOf(address + agent, world!.theirs.key)).toBe(404);
    expect(await statusOf(address + agent)).toBe(401);
    const { json } = await send(path + agent);
    expect(await statusOf(json.signed_url)).toBe(101);
    expect(await statusOf(json.signed_url)).toBe(401);
  });
});
