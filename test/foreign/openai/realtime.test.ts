import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { World } from '../../contract/world.ts';
import { ORDERS, ScriptedEndpoint } from '../../conversation/brains/endpoint/scripted-endpoint.ts';
import { realtimeFolder, realtimeMissing } from '../../edge/surfaces/compat/vendors.ts';
import { itLong, long, longForm } from '../../long-tests.ts';
import { absent, make, workFolder } from '../../media/codec/recordings.ts';

// biome-ignore lint/suspicious/noExplicitAny: events of every kind, of both forms of the protocol.
type Event = any;

const folder = workFolder();
afterAll(folder.remove);
const model = absent ? null : await ScriptedEndpoint.start(ORDERS);
afterAll(() => model?.close());
const world = absent
  ? null
  : await World.open({
      settings: { TRUNKLINE_BRAIN_URL: model?.url ?? '', TRUNKLINE_BRAIN_MODEL: 'scripted' },
    });
afterAll(() => world?.stop());

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z ]/g, '');

/** OpenAI's own client always asks for TLS, which a proxy terminates in front of the server. */
class Client {
  readonly reported: Event[] = [];
  readonly closed: Promise<number>;
  readonly #client: OpenAIRealtimeWS;
  #changed: (() => void)[] = [];

  static async open(model?: string, headers?: Record<string, string>): Promise<Client> {
    const client = new Client(model, headers);
    await client.until('session.created');
    return client;
  }

  private constructor(model = 'gpt-realtime', headers: Record<string, string> = {}) {
    const client = new OpenAI({ apiKey: world?.ours.key ?? '', baseURL: `${world?.url}/v1` });
    const createConnection = ({ host, port }: { host: string; port: number }) => connect(port, host);
    const options = { createConnection, headers } as object;
    this.#client = new OpenAIRealtimeWS({ model, options }, client);
    this.#client.on('event', (event) => {
      this.reported.push(event);
      for (const wake of this.#changed.splice(0)) wake();
    });
    this.#client.on('error', () => undefined);
    this.closed = new Promise((resolve) => this.#client.socket.once('close', resolve));
    onTestFinished(() => this.#client.close());
  }

  send(event: object): void {
    this.#client.send(event as never);
  }

  async until(type: string, is: (event: Event) => boolean = () => true, from = 0): Promise<Event> {
    for (;;) {
      const found = this.reported.slice(from).find((event) => event.type === type && is(event));
      if (found !== undefined) return found;
      const changed = new Promise<void>((resolve) => this.#changed.push(resolve));
      const gone = this.closed.then((code) => {
        throw new Error(`closed with ${code} after ${JSON.stringify(this.reported.slice(-5))}`);
      });
      await Promise.race([changed, gone]);
    }
  }

  all = (type: string): Event[] => this.reported.filter((event) => event.type === type);

  async speak(pcm: Buffer, bytesPerSecond: number, over: AbortSignal): Promise<void> {
    const frame = bytesPerSecond / 50;
    const begun = performance.now();
    for (let at = 0; !over.aborted; at += frame) {
      const sound = Buffer.alloc(frame);
      pcm.copy(sound, 0, Math.min(at, pcm.length), at + frame);
      this.send({ type: 'input_audio_buffer.append', audio: sound.toString('base64') });
      const due = begun + (at / frame + 1) * 20;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    }
  }
}

const pcmOf = (name: string, ...args: string[]): Buffer =>
  readFileSync(make(folder.path, name, '-ac', '1', ...args));

const lookUp = {
  type: 'function',
  name: 'look_up_order',
  description: 'Looks an order up.',
  parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
};

const typed = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

describe.skipIf(absent || world?.ready === false)(
  'a conversation by OpenAI’s client',
  { timeout: 120_000 },
  () => {
    it('answers typed words with audio, its words, and an end', async () => {
      const client = await Client.open();
      const { session } = await client.until('session.created');
      expect(session).toMatchObject({ type: 'realtime', object: 'realtime.session', model: 'gpt-realtime' });
      client.send({
        type: 'session.update',
        session: { type: 'realtime', instructions: 'You run a shop.', audio: { output: { voice: 'marin' } } },
      });
      const updated = await client.until('session.updated');
      expect(updated.session).toMatchObject({ instructions: 'You run a shop.' });
      client.send(typed('When are you open?'));
      client.send({ type: 'response.create' });
      const { response } = await client.until('response.done');
      expect(response).toMatchObject({ status: 'completed', object: 'realtime.response' });
      const said = response.output[0].content[0].transcript as string;
      expect(said).toMatch(/^We are open from nine to five/);
      const deltas = client.all('response.output_audio_transcript.delta').map(({ delta }) => delta);
      expect(deltas.join('')).toBe(said);
      const bytes = client
        .all('response.output_audio.delta')
        .reduce((sum, { delta }) => sum + Buffer.from(delta, 'base64').length, 0);
      expect(bytes / 48_000).toBeGreaterThan(3);
      const order = [
        'response.created',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_audio.done',
        'response.output_audio_transcript.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.done',
      ];
      const reported = client.reported.map(({ type }) => type).filter((type) => order.includes(type));
      expect(reported).toEqual(order);
      const { item } = client.all('response.output_item.done')[0];
      client.send({ type: 'conversation.item.retrieve', item_id: item.id });
      expect((await client.until('conversation.item.retrieved')).item).toEqual(item);
      client.send({
        type: 'conversation.item.truncate',
        item_id: item.id,
        content_index: 0,
        audio_end_ms: 500,
      });
      expect(await client.until('conversation.item.truncated')).toMatchObject({ audio_end_ms: 500 });
      expect(client.all('error')).toEqual([]);
    });

    itLong('calls functions, and speaks of their outputs', async () => {
      const client = await Client.open();
      client.send({ type: 'session.update', session: { type: 'realtime', tools: [lookUp] } });
      await client.until('session.updated');
      client.send(typed('Where is order 4711?'));
      client.send({ type: 'response.create' });
      const call = await client.until('response.function_call_arguments.done');
      expect(JSON.parse(call.arguments)).toEqual({ order: '4711' });
      const first = await client.until('response.done');
      expect(first.response.output).toMatchObject([
        { type: 'function_call', name: 'look_up_order', call_id: call.call_id, status: 'completed' },
      ]);
      client.send({
        type: 'conversation.item.create',
        item: { type: 'function_call_output', call_id: call.call_id, output: '{"ships": "Friday"}' },
      });
      client.send({ type: 'response.create' });
      const second = await client.until('response.done', ({ response }) => response.id !== first.response.id);
      expect(second.response.output[0].content[0].transcript).toBe('It ships on Friday.');
      expect(JSON.stringify(model?.received.at(-1)?.body.messages)).toContain('Friday');
      expect(client.all('error')).toEqual([]);
    });

    it('hears the caller, and yields when it is spoken over', async () => {
      const client = await Client.open();
      client.send({
        type: 'session.update',
        session: {
          type: 'realtime',
          audio: {
            input: { transcription: { model: 'whisper-1' }, turn_detection: { type: 'semantic_vad' } },
          },
        },
      });
      await client.until('session.updated');
      const over = new AbortController();
      onTestFinished(() => over.abort());
      const question = pcmOf('question.raw', '-t', '4', '-ar', '24000', '-f', 's16le');
      const speaking = client.speak(question, 48_000, over.signal);
      const started = await client.until('input_audio_buffer.speech_started');
      const committed = await client.until('input_audio_buffer.committed');
      expect(committed.item_id).toBe(started.item_id);
      const heard = await client.until('conversation.item.input_audio_transcription.completed');
      expect(heard.item_id).toBe(committed.item_id);
      expect(plain(heard.transcript)).toMatch(/^printing in the only sense/);
      const spoken = await client.until('response.output_audio.delta');
      over.abort();
      await speaking;
      const again = new AbortController();
      onTestFinished(() => again.abort());
      const interrupting = client.speak(question, 48_000, again.signal);
      const cut = await client.until('response.done', ({ response }) => response.id === spoken.response_id);
      expect(cut.response).toMatchObject({
        status: 'cancelled',
        status_details: { type: 'cancelled', reason: 'turn_detected' },
        output: [{ status: 'incomplete' }],
      });
      again.abort();
      await interrupting;
      expect(client.all('input_audio_buffer.speech_started').length).toBeGreaterThan(1);
    });

    itLong('takes turns that the client ends, as telephones sound', async () => {
      const client = await Client.open();
      client.send({
        type: 'session.update',
        session: {
          type: 'realtime',
          audio: {
            input: {
              format: { type: 'audio/pcmu' },
              transcription: { model: 'whisper-1', language: 'en' },
              turn_detection: null,
            },
            output: { format: { type: 'audio/pcmu' } },
          },
        },
      });
      await client.until('session.updated');
      client.send({ type: 'input_audio_buffer.commit' });
      expect((await client.until('error')).error.code).toBe('input_audio_buffer_commit_empty');
      const ulaw = pcmOf('question.ulaw', '-t', '5', '-ar', '8000', '-f', 'mulaw');
      client.send({ type: 'input_audio_buffer.append', audio: ulaw.toString('base64') });
      client.send({ type: 'input_audio_buffer.commit' });
      client.send({ type: 'response.create' });
      const heard = await client.until('conversation.item.input_audio_transcription.completed');
      expect(plain(heard.transcript)).toContain('printing in the only sense');
      const { response } = await client.until('response.created');
      await client.until('response.output_audio.delta');
      client.send({ type: 'response.cancel' });
      const cancelled = await client.until('response.done');
      expect(cancelled.response).toMatchObject({
        id: response.id,
        status: 'cancelled',
        status_details: { reason: 'client_cancelled' },
      });
      expect(JSON.stringify(model?.received.at(-1)?.body.messages).toLowerCase()).toContain('printing');
      client.send({ type: 'response.cancel' });
      await client.until('error', ({ error }) => error.code === 'response_cancel_not_active');
    });

    itLong('speaks first where it is asked to, in the older form too', async () => {
      const client = await Client.open('gpt-4o-realtime-preview', { 'OpenAI-Beta': 'realtime=v1' });
      const { session } = await client.until('session.created');
      expect(session).toMatchObject({ input_audio_format: 'pcm16', modalities: ['text', 'audio'] });
      client.send({ type: 'response.create', response: { instructions: 'Greet the caller.' } });
      const { response } = await client.until('response.done');
      expect(response).toMatchObject({ status: 'completed', modalities: ['text', 'audio'] });
      expect(client.all('response.audio.delta').length).toBeGreaterThan(10);
      expect(client.all('conversation.item.created').length).toBe(1);
      expect(JSON.stringify(model?.received.at(-1)?.body.messages)).toContain('Greet the caller.');
    });

    itLong('is let in from a page, which sends the key as a subprotocol', async () => {
      const url = `${world!.url.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`;
      const open = (key: string) =>
        new WebSocket(url, ['realtime', `openai-insecure-api-key.${key}`, 'openai-beta.realtime-v1']);
      const socket = open(world!.ours.key);
      onTestFinished(() => socket.close());
      const [message] = await once(socket, 'message');
      const { type, session } = JSON.parse(String(message));
      expect([type, session.input_audio_format, socket.protocol]).toEqual([
        'session.created',
        'pcm16',
        'realtime',
      ]);
      const refused = open('svc_live_nobody');
      const [error] = await once(refused, 'error');
      expect(error.message).toContain('401');
    });

    it('is told what cannot be done, and goes on', async () => {
      const client = await Client.open();
      const asked: [object, string, string | null][] = [
        [
          {
            type: 'session.update',
            session: { audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } } },
          },
          'invalid_value',
          'session.audio.input.format.rate',
        ],
        [
          { type: 'session.update', session: { tools: [{ type: 'mcp', server_label: 'x' }] } },
          'invalid_value',
          'session.tools.0.type',
        ],
        [
          {
            type: 'session.update',
            session: { audio: { input: { turn_detection: { type: 'server_vad', create_response: false } } } },
          },
          'invalid_value',
          'session.audio.input.turn_detection.create_response',
        ],
        [
          { type: 'response.create', response: { conversation: 'none' } },
          'invalid_value',
          'response.conversation',
        ],
        [{ type: 'conversation.item.delete', item_id: 'nobody' }, 'item_not_found', 'item_id'],
        [{ type: 'conversation.item.create', item: { type: 'mcp_call' } }, 'invalid_value', 'item.type'],
        [{ type: 'nothing' }, 'invalid_value', 'type'],
        [{ type: 'My card is 4111 1111 1111 1111.' }, 'invalid_value', 'type'],
      ];
      for (const [at, [event, code, param]] of asked.entries()) {
        client.send({ ...event, event_id: `mine_${at}` });
        const { error } = await client.until('error', ({ error }) => error.event_id === `mine_${at}`);
        expect(error).toMatchObject({ type: 'invalid_request_error', code, param });
      }
      expect(JSON.stringify(client.reported)).not.toContain('4111');
      client.send(typed('Hello?'));
      client.send({ type: 'response.create' });
      await client.until('response.output_audio.delta');
    });
  },
);

const withoutPython = absent || realtimeMissing();
if (withoutPython)
  console.warn(`the tests with PyPI's openai and openai-agents are skipped: ${withoutPython}`);

describe.skipIf(withoutPython || world?.ready === false)(
  'OpenAI’s packages of PyPI',
  { timeout: 240_000 },
  () => {
    const run = async (program: string) => {
      const pcm = make(folder.path, 'said.raw', '-t', '4', '-ac', '1', '-ar', '24000', '-f', 's16le');
      const args = [`test/foreign/openai/${program}`, `${world!.url}/v1`, world!.ours.key, pcm];
      const { stdout } = await promisify(execFile)('python3', args, {
        env: { ...process.env, PYTHONPATH: realtimeFolder, OPENAI_AGENTS_DISABLE_TRACING: '1' },
      });
      return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    };

    it('talk, call functions and transcribe; every event is of their types', async () => {
      const said = await run('realtime_client.py');
      expect(said.strangers).toEqual([]);
      expect(said.answer).toMatch(/^We are open/);
      expect(said.tool).toBe('It ships on Friday.');
      expect(said.secret).toEqual(['You sell boats.', true]);
      expect(plain(said.transcript)).toMatch(/^printing in the only sense/);
      const [transcript, refused] = said.cleared;
      expect(plain(transcript).match(/printing/g)).toHaveLength(1);
      expect(refused).toBe('input_audio_buffer_commit_empty');
    });

    it.skipIf(!long)(longForm('run an agent with a function'), async () => {
      const said = await run('agents_client.py');
      expect(said.errors).toEqual([]);
      expect(said.called).toEqual([{ order: '4711' }]);
      expect(said.audio).toBeGreaterThan(20_000);
      expect(said.history).toContain('It ships on Friday.');
    });

    it.skipIf(!long)(
      longForm('run a VoicePipeline on a recording and on a stream, which ends in mid-speech'),
      async () => {
        const { recorded, streamed } = await run('voice_pipeline_client.py');
        const turn = expect.stringMatching(/^printing in the only sense/);
        expect(recorded).toMatchObject({ errors: [], turns: 1 });
        expect(recorded.heard.map(plain)).toEqual([turn]);
        expect(streamed).toMatchObject({ errors: [], turns: 2 });
        expect(streamed.heard.map(plain)).toEqual([turn, turn]);
        expect(recorded.seconds).toBeGreaterThan(1);
        expect(streamed.seconds).toBeGreaterThan(2);
      },
    );
  },
);
