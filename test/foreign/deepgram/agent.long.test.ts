/** Deepgram's own client talks to an agent of this server: unchanged but base URL and key. */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { npmMissing, required } from '../../edge/surfaces/compat/vendors.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the client is installed when the test runs: nothing here has its types.
type Client = any;

const folder = workFolder();
afterAll(folder.remove);
const missing = absent || npmMissing();
const model = missing ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = missing
  ? null
  : await World.open({ settings: { TRUNKLINE_BRAIN_URL: model!.url, TRUNKLINE_BRAIN_MODEL: 'scripted' } });
afterAll(() => world?.stop());

const SETTINGS = {
  type: 'Settings',
  audio: {
    input: { encoding: 'linear16', sample_rate: 48_000 },
    output: { encoding: 'linear16', sample_rate: 24_000, container: 'none' },
  },
  agent: {
    listen: { provider: { type: 'deepgram', model: 'nova-3' } },
    think: {
      provider: { type: 'open_ai', model: 'gpt-4o-mini', temperature: 0.7 },
      prompt: 'You run a shop.',
      functions: [
        {
          name: 'look_up_order',
          description: 'Looks an order up.',
          parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
        },
      ],
    },
    speak: { provider: { type: 'deepgram', model: 'aura-2-thalia-en' } },
    greeting: 'Hello from the shop.',
  },
};

class Conversation {
  readonly messages: Client[] = [];
  readonly closed: Promise<number>;
  bytes = 0;
  readonly connection: Client;

  static async open(): Promise<Conversation> {
    const { DeepgramClient } = required('@deepgram/sdk') as Client;
    const base = `${world!.url}/deepgram`;
    const socket = base.replace('http', 'ws');
    const environment = { base, production: socket, agent: socket, agentRest: base };
    const client = new DeepgramClient({ apiKey: world!.ours.key, environment });
    const conversation = new Conversation(await client.agent.v1.connect({}));
    await conversation.until('Welcome');
    return conversation;
  }

  private constructor(connection: Client) {
    this.connection = connection;
    connection.on('message', (message: Client) => {
      if (typeof message === 'string') this.messages.push(JSON.parse(message));
      else if (typeof message?.type === 'string' && message.arrayBuffer === undefined)
        this.messages.push(message);
      else this.bytes += message.size ?? message.byteLength;
    });
    this.closed = new Promise((resolve) => connection.on('close', ({ code }: Client) => resolve(code)));
    connection.connect();
    onTestFinished(() => connection.close());
  }

  of = (type: string): Client[] => this.messages.filter((message) => message.type === type);

  async until(type: string, is: (message: Client) => boolean = () => true): Promise<Client> {
    await expect.poll(() => this.of(type).some(is), { timeout: 40_000 }).toBe(true);
    return this.of(type).find(is);
  }
}

const said = (text: string) => (message: Client) =>
  message.role === 'assistant' && message.content.includes(text);

describe.skipIf(missing || world?.ready === false)('Deepgram’s voice agent', { timeout: 90_000 }, () => {
  it('greets, calls a function of the client and says what it has answered', async () => {
    const conversation = await Conversation.open();
    conversation.connection.sendSettings(SETTINGS);
    await conversation.until('SettingsApplied');
    await conversation.until('ConversationText', said('Hello from the shop.'));
    conversation.connection.sendInjectUserMessage({
      type: 'InjectUserMessage',
      content: 'Where is order 4711?',
    });
    const request = await conversation.until('FunctionCallRequest');
    const [call] = request.functions;
    expect(call).toMatchObject({ name: 'look_up_order', client_side: true });
    expect(JSON.parse(call.arguments)).toEqual({ order: '4711' });
    conversation.connection.sendFunctionCallResponse({
      type: 'FunctionCallResponse',
      id: call.id,
      name: call.name,
      content: '{"ships": "Friday"}',
    });
    await conversation.until('ConversationText', said('It ships on Friday.'));
    await expect.poll(() => conversation.of('AgentAudioDone').length, { timeout: 10_000 }).toBeGreaterThan(1);
    expect(conversation.of('ConversationText')[1]).toMatchObject({
      role: 'user',
      content: 'Where is order 4711?',
    });
    expect(conversation.of('AgentStartedSpeaking').length).toBe(conversation.of('AgentAudioDone').length);
    expect(conversation.bytes / 48_000).toBeGreaterThan(2);
    expect(conversation.of('Error')).toEqual([]);
    expect(conversation.of('Warning')).toEqual([]);
  });

  it('hears a microphone at its own rate', async () => {
    const conversation = await Conversation.open();
    const { functions: _, ...think } = SETTINGS.agent.think;
    conversation.connection.sendSettings({ ...SETTINGS, agent: { ...SETTINGS.agent, think, greeting: '' } });
    await conversation.until('SettingsApplied');
    const pcm = readFileSync(
      make(folder.path, 'said.pcm', '-t', '5.2', '-af', 'adelay=1000', '-ar', '48000', '-f', 's16le'),
    );
    const over = new AbortController();
    onTestFinished(() => over.abort());
    const speaking = (async () => {
      const frame = 48_000 / 25;
      const begun = performance.now();
      for (let at = 0; !over.signal.aborted; at += frame) {
        const sound = Buffer.alloc(frame);
        pcm.copy(sound, 0, Math.min(at, pcm.length), at + frame);
        conversation.connection.sendMedia(sound);
        const due = begun + (at / frame + 1) * 20;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      }
    })();
    const heard = await conversation.until('ConversationText', ({ role }) => role === 'user');
    expect(heard.content.toLowerCase()).toContain('in the only sense');
    await conversation.until('AgentStartedSpeaking', ({ total_latency }) => total_latency > 0);
    expect(conversation.of('UserStartedSpeaking').length).toBeGreaterThan(0);
    over.abort();
    await speaking;
  });

  it('is another once its settings are, and says what it is told to say', async () => {
    const conversation = await Conversation.open();
    const { connection } = conversation;
    const agent = { ...SETTINGS.agent, greeting: '' };
    connection.sendSettings({
      ...SETTINGS,
      audio: {
        input: { encoding: 'mulaw', sample_rate: 8000 },
        output: { encoding: 'mulaw', sample_rate: 8000 },
      },
      agent: { ...agent, think: { ...agent.think, endpoint: { url: 'https://model.example/v1' } } },
    });
    expect(await conversation.until('Warning')).toMatchObject({
      code: 'UNSUPPORTED_PARAMETER',
      description: expect.stringContaining('agent.think.endpoint'),
    });
    await conversation.until('SettingsApplied');
    connection.sendUpdatePrompt({ type: 'UpdatePrompt', prompt: 'You run a theatre.' });
    await conversation.until('PromptUpdated');
    connection.sendUpdateSpeak({
      type: 'UpdateSpeak',
      speak: { provider: { type: 'deepgram', model: 'aura-2-orion-en' } },
    });
    await conversation.until('SpeakUpdated');
    connection.sendKeepAlive({ type: 'KeepAlive' });
    connection.sendInjectAgentMessage({
      type: 'InjectAgentMessage',
      message: 'The curtain rises at eight, and the doors are open from seven.',
    });
    await conversation.until('AgentStartedSpeaking');
    connection.sendInjectAgentMessage({ type: 'InjectAgentMessage', message: 'Now.' });
    await conversation.until('InjectionRefused');
    await conversation.until('ConversationText', said('The curtain rises at eight'));
    expect(conversation.bytes / 8000).toBeGreaterThan(2);
    expect(conversation.bytes / 8000).toBeLessThan(12);
  });

  it('is refused with its reason where the settings are none', async () => {
    const refusals: readonly [object, string][] = [
      [{ ...SETTINGS, audio: { output: { encoding: 'mp3' } } }, 'audio.output.encoding'],
      [{ ...SETTINGS, agent: 'another maker’s id' }, 'agt_'],
      [{ ...SETTINGS, agent: 'agt_00000000000000000000' }, 'There is no agent agt_00000000000000000000.'],
    ];
    for (const [settings, reason] of refusals) {
      const conversation = await Conversation.open();
      conversation.connection.sendSettings(settings);
      const { description } = await conversation.until('Error');
      expect(description).toContain(reason);
      expect(await conversation.closed).toBe(1008);
    }
  });

  it('speaks for an agent of this server', async () => {
    const made = await world!.send('/v1/agents', {
      method: 'POST',
      headers: { authorization: `Bearer ${world!.ours.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Maya', persona: 'You wait.', greeting: 'Hello from Maya.' }),
    });
    const conversation = await Conversation.open();
    conversation.connection.sendSettings({ ...SETTINGS, agent: (made.json as { id: string }).id });
    await conversation.until('SettingsApplied');
    await conversation.until('ConversationText', said('Hello from Maya.'));
  });
});
