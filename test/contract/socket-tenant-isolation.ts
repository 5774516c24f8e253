/** Sockets against rows of another organization, another project and the other environment. */
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { pollDelay } from '../poll.ts';
import { agentStart, carrierStarts, relaySetup, SocketClient } from './sockets.ts';
import type { World } from './world.ts';

/** A place beside ours, with a row of every table. */
export interface Neighbour {
  readonly mark: string;
  readonly place: { readonly org_id: string; readonly project_id: string; readonly environment: string };
  readonly ids: string[];
}

export const kindOf = (id: string): string => id.replace(/_[^_]*$/, '');

/** An id of the same kind that nobody has. */
export const nobodys = (id: string): string => id.replace(/[^_]*$/, (end) => end.replaceAll(/\w/g, 'z'));

interface Described {
  readonly address: string;
  readonly bindings?: { readonly ws: { readonly query: { readonly properties?: object } } };
  readonly messages: Readonly<Record<string, { readonly payload: { readonly properties?: object } }>>;
}

/** Fields of sockets by which a client can name a row of somebody's. */
const NAMING_OF_SOCKETS = [
  // The caller's own name for a customer: it is stored with the call and looks nothing up.
  '/v1/amd/stream external_id',
  // The id is of this conversation's own function call.
  '/deepgram/v1/agent/converse client_FunctionCallResponse id',
  // A name of ElevenLabs' that changes nothing.
  '/elevenlabs/v1/text-to-speech/{voice_id}/stream-input model_id',
  '/elevenlabs/v1/text-to-speech/{voice_id}/multi-stream-input model_id',
  '/elevenlabs/v1/speech-to-text/realtime model_id',
  '/elevenlabs/v1/convai/conversation agent_id',
  // The id is of this conversation's own tool.
  '/elevenlabs/v1/convai/conversation client_client_tool_result tool_call_id',
  // The id is of this connection's own text.
  '/elevenlabs/v1/text-to-speech/{voice_id}/multi-stream-input client_text context_id',
  '/v1/omni agent_id',
  '/v1/omni session_label',
  '/v1/omni client_configure voice_id',
  '/v1/relay/twilio agent_id',
  // The id is of this session's own tool.
  '/v1/omni client_tool_result call_id',
  '/v1/telephony/streams/asterisk agent_id',
  // Asterisk's own.
  '/v1/telephony/streams/asterisk client_media_mark_processed correlation_id',
  '/v1/telephony/streams/asterisk client_media_start channel_id',
  '/v1/telephony/streams/exotel agent_id',
  '/v1/telephony/streams/plivo agent_id',
  '/v1/telephony/streams/telnyx agent_id',
  '/v1/telephony/streams/vonage agent_id',
  '/v1/omni/supervise call_id',
  '/v1/telephony/supervise call_id',
];

const ofKind = (ids: readonly string[], kind: string): string =>
  ids.find((id) => kindOf(id) === kind) as string;

/** A call of Omni that is over as soon as it is configured: what served it, and what was complained of. */
async function talk(world: World, key: string, label: string, voice_id?: string) {
  const address = `/v1/omni?format=pcm16&rate=8000&session_label=${label}`;
  const client = await new SocketClient(world, address, key).opened();
  client.send({ type: 'configure', ...(voice_id === undefined ? {} : { voice_id }) });
  const { call_id: id, voice_id: voice } = await client.until(({ event }) => event === 'configured');
  client.send({ type: 'end' });
  expect(await client.closed).toBe(1000);
  const errors = client.messages.filter(({ event }) => event === 'error');
  const headers = { authorization: `Bearer ${key}` };
  let record = await world.send(`/v1/omni/calls/${id}`, { headers });
  while (record.status !== 200) {
    await pollDelay();
    record = await world.send(`/v1/omni/calls/${id}`, { headers });
  }
  const codes = errors.map(({ error }) => [error.code, error.param]);
  return { id: String(id), seen: { agent: record.json?.agent_id, voice, errors: codes } };
}

/** A key of each place, our own first. */
async function keysOfPlaces(world: World, neighbours: readonly Neighbour[]): Promise<string[]> {
  const keys = [world.ours.key, world.theirs.key];
  for (const { place } of neighbours.slice(1)) {
    const { project_id, environment } = place;
    const made = await world.send('/v1/keys', {
      method: 'POST',
      headers: { authorization: `Bearer ${world.ours.session}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project_id, environment, scopes: ['*'] }),
    });
    keys.push(String(made.json?.api_key));
  }
  return keys;
}

/** The seeded row of a default voice has no sound, so that nothing would speak with it. */
async function useRealVoice(world: World, key: string): Promise<void> {
  const { status } = await world.send('/v1/speak/settings', {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ default_voice: 'heart_en_us' }),
  });
  expect(status).toBe(200);
}

/** `home`: our own place, seeded as the others are. */
export function socketIsolation(world: World, home: Neighbour, neighbours: readonly Neighbour[]): void {
  /** An id that nobody has, and one of each neighbour. */
  const foreignIds = (kind: string): string[] => [
    nobodys(ofKind(home.ids, kind)),
    ...neighbours.map(({ ids }) => ofKind(ids, kind)),
  ];
  describe('sockets', () => {
    beforeAll(async () => {
      for (const { key } of [world.ours, world.theirs]) await useRealVoice(world, key);
    });

    it('name rows by these fields alone', async () => {
      const { channels } = (await world.send('/asyncapi.json')).json as {
        channels: Record<string, Described>;
      };
      const named = (properties: object | undefined) =>
        Object.keys(properties ?? {}).filter((field) => /(^|_)(ids?|label|voice)$/.test(field));
      const found = Object.values(channels).flatMap(({ address, bindings, messages }) => [
        ...named(bindings?.ws.query.properties).map((field) => `${address} ${field}`),
        ...Object.entries(messages)
          .filter(([name]) => name.startsWith('client_'))
          .flatMap(([name, { payload }]) =>
            named(payload.properties).map((field) => `${address} ${name} ${field}`),
          ),
      ]);
      expect(found.sort()).toEqual([...NAMING_OF_SOCKETS].sort());
    });

    it('take a neighbour’s agent and voice in Omni for ones that nobody has', async () => {
      const [agents, voices] = [foreignIds('agt'), foreignIds('vc')];
      const seen: unknown[] = [];
      for (const [at, agent] of agents.entries())
        seen.push((await talk(world, world.ours.key, agent, voices[at])).seen);
      expect(seen[0]).toMatchObject({ agent: null, errors: [['voice_not_found', 'voice_id']] });
      for (const each of seen) expect(each).toEqual(seen[0]);
      const own = { agent: ofKind(home.ids, 'agt'), voice: ofKind(home.ids, 'vc') };
      expect((await talk(world, world.ours.key, own.agent, own.voice)).seen).toEqual({ ...own, errors: [] });
    }, 180_000);

    it.each(['twilio', 'asterisk', 'relay', ...Object.keys(carrierStarts)])(
      'take a neighbour’s agent in a stream of %s for one that nobody has',
      async (dialect) => {
        const begin = async (agent: string) => {
          const ownStart = carrierStarts[dialect as keyof typeof carrierStarts];
          const isByQuery = dialect === 'asterisk' || ownStart !== undefined;
          const said = new URLSearchParams({ agent_id: agent, api_key: world.ours.key });
          const path = dialect === 'relay' ? '/v1/relay/twilio' : `/v1/telephony/streams/${dialect}`;
          const client = await new SocketClient(world, isByQuery ? `${path}?${said}` : path).opened();
          if (dialect === 'asterisk') client.send({ event: 'MEDIA_START', format: 'ulaw' });
          else
            client.send(ownStart ?? (dialect === 'relay' ? relaySetup : agentStart)(world.ours.key, agent));
          return client;
        };
        const refused: unknown[] = [];
        for (const agent of foreignIds('agt')) {
          const client = await begin(agent);
          const messages = await client.until(({ event, type }) => event === 'error' || type === 'end');
          const error = messages.type === 'end' ? JSON.parse(messages.handoffData) : messages.error;
          refused.push([await client.closed, { ...error, message: error.message.replaceAll(agent, '') }]);
        }
        expect(refused[0]).toMatchObject([1008, { code: 'invalid_request', param: 'agent_id' }]);
        for (const each of refused) expect(each).toEqual(refused[0]);
        const live = await new SocketClient(world, '/v1/live', world.ours.key).opened();
        const own = ofKind(home.ids, 'agt');
        const served = await begin(own);
        await live.until(({ type, data }) => type === 'call.began' && data.agent_id === own);
        served.close();
        await live.until(({ type }) => type === 'call.over');
        live.close();
      },
      180_000,
    );

    it('take a neighbour’s agent in a conversation of ElevenLabs’ clients for one that nobody has', async () => {
      const refusal = (agent: string) =>
        new Promise<unknown>((resolve, reject) => {
          const url = `${world.url.replace('http', 'ws')}/elevenlabs/v1/convai/conversation?agent_id=${agent}`;
          const socket = new WebSocket(url, { headers: { 'xi-api-key': world.ours.key } });
          socket.on('open', () => reject(new Error(`${agent} was opened`)));
          socket.on('unexpected-response', async (_request, response) => {
            const parts: Buffer[] = [];
            for await (const part of response) parts.push(part as Buffer);
            const { code, param, message } = JSON.parse(Buffer.concat(parts).toString()).error;
            resolve([response.statusCode, code, param, message.replaceAll(agent, '')]);
          });
        });
      const messages: unknown[] = [];
      for (const agent of foreignIds('agt')) messages.push(await refusal(agent));
      expect(messages[0]).toEqual([404, 'not_found', 'agent_id', expect.any(String)]);
      for (const each of messages) expect(each).toEqual(messages[0]);
    });

    it.each([
      ['telephony', 'tcl'],
      ['omni', 'ocl'],
    ])('take a neighbour’s call of %s for one that nobody has', async (family, kind) => {
      const refusal = (id: string) =>
        new Promise<unknown>((resolve, reject) => {
          const url = `${world.url.replace('http', 'ws')}/v1/${family}/supervise?call_id=${id}`;
          const socket = new WebSocket(url, { headers: { authorization: `Bearer ${world.ours.key}` } });
          socket.on('open', () => reject(new Error(`${id} was opened`)));
          socket.on('unexpected-response', async (_request, response) => {
            const parts: Buffer[] = [];
            for await (const part of response) parts.push(part as Buffer);
            const { code, param, message } = JSON.parse(Buffer.concat(parts).toString()).error;
            resolve([response.statusCode, code, param, message.replaceAll(id, '')]);
          });
        });
      const messages: unknown[] = [];
      for (const id of foreignIds(kind)) messages.push(await refusal(id));
      expect(messages[0]).toEqual([404, 'not_found', 'call_id', expect.any(String)]);
      for (const each of messages) expect(each).toEqual(messages[0]);
      expect(await refusal(ofKind(home.ids, kind))).toEqual([
        409,
        'call_not_live',
        'call_id',
        expect.any(String),
      ]);
    });

    it('tell what happens to who watches its own place alone', async () => {
      const keys = await keysOfPlaces(world, neighbours);
      for (const key of keys) await useRealVoice(world, key);
      const watchers = await Promise.all(
        keys.map((key) => new SocketClient(world, '/v1/live', key).opened()),
      );
      const calls: string[] = [];
      for (const key of keys) calls.push((await talk(world, key, 'nobody')).id);
      for (const [at, watcher] of watchers.entries())
        await watcher.until(({ type, data }) => type === 'call.over' && data.call_id === calls[at]);
      for (const [at, watcher] of watchers.entries()) {
        const messages = watcher.messages.filter(({ type }) => type.startsWith('call.'));
        expect(new Set(messages.map(({ data }) => data.call_id))).toEqual(new Set([calls[at]]));
        watcher.close();
      }
    }, 180_000);
  });
}
