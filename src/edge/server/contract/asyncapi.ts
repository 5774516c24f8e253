import type { SocketMessage, SocketMessages, SocketRoute } from '../surface.ts';
import { exampleOf } from './examples.ts';
import { INTERFACE_VERSION } from './openapi.ts';

type Json = Record<string, unknown>;

export function describeSockets(routes: readonly SocketRoute[], baseUrl: string): Json {
  const channels: Json = {};
  const operations: Json = {};
  for (const route of routes) {
    if (!route.messages) continue;
    const name = channelName(route.path);
    channels[name] = describeChannel(route, route.messages);
    operations[`${name}_receive`] = operation('receive', name, 'client', route.messages.client);
    operations[`${name}_send`] = operation('send', name, 'server', route.messages.server);
  }
  const url = new URL(baseUrl);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Trunkline sockets',
      version: INTERFACE_VERSION,
      description: 'Messages of the WebSocket endpoints. /openapi.json describes the REST endpoints.',
    },
    defaultContentType: 'application/json',
    servers: {
      main: {
        host: url.host,
        protocol: url.protocol === 'https:' ? 'wss' : 'ws',
        security: Object.keys(SECURITY_SCHEMES).map((name) => ({
          $ref: `#/components/securitySchemes/${name}`,
        })),
      },
    },
    channels,
    operations,
    components: { securitySchemes: SECURITY_SCHEMES },
  };
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
  apiKey: {
    type: 'httpApiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The API key in its own header.',
  },
  query: {
    type: 'httpApiKey',
    in: 'query',
    name: 'api_key',
    description: 'The API key in the query. Use it only from servers: URLs are often written to logs.',
  },
  subprotocol: {
    type: 'httpApiKey',
    in: 'header',
    name: 'Sec-WebSocket-Protocol',
    description: 'Two values: `svc.v1`, then `svc-key.<API_KEY>`. The server selects only `svc.v1`.',
  },
};

const channelName = (path: string): string => path.replace(/^\//, '').replace(/[^A-Za-z0-9]+/g, '_');

export const CLOSE_CODES: Readonly<Record<number, string>> = {
  1000: 'The session ended, on request or after a time without input.',
  1001: 'The server is shutting down: connect again.',
  1002: 'A frame violated RFC 6455, by a missing mask, an unknown opcode or a wrong order.',
  1006: 'The connection ended without a close frame: the network failed.',
  1007: 'A text frame was not valid UTF-8.',
  1008: 'A frame violated the protocol of this route; an error frame before the close names the fault.',
  1009: 'A frame exceeded the limit of the route.',
  1011: 'The engine failed.',
  1013: 'The server is at capacity, or the client reads too slowly: try again later.',
  4401: 'The credential was revoked or has expired.',
  4403: 'The scope or the origin is not allowed any more.',
  4429: 'A cap, the credit or the number of sessions was reached.',
};

const PARAMETER = /:(\w+)/g;
const addressOf = (path: string): string => path.replace(PARAMETER, '{$1}');

function parametersOf(path: string): Json {
  const names = [...path.matchAll(PARAMETER)].map(([, name]) => [name, {}]);
  return names.length === 0 ? {} : { parameters: Object.fromEntries(names) };
}

function describeChannel(route: SocketRoute, messages: SocketMessages): Json {
  const described: Json = {};
  for (const message of messages.client) described[`client_${message.name}`] = describe(message);
  for (const message of messages.server) described[`server_${message.name}`] = describe(message);
  const query = messages.query as { required?: string[] } | undefined;
  return {
    address: addressOf(route.path),
    ...parametersOf(route.path),
    title: messages.title ?? route.path,
    summary: messages.summary,
    description: descriptionOf(messages, query?.required ?? []),
    ...(query ? { bindings: { ws: { bindingVersion: '0.1.0', method: 'GET', query } } } : {}),
    messages: described,
    'x-max-frame-bytes': route.maxFrameBytes,
    'x-close-codes': { ...CLOSE_CODES, ...messages.closes },
    ...scopeOf(route),
  };
}

function scopeOf({ access, keyScope }: SocketRoute): Json {
  if (keyScope !== undefined) return { 'x-required-scope': keyScope, 'x-key-in-frames': true };
  return access.kind === 'key' && access.scope ? { 'x-required-scope': access.scope } : {};
}

function descriptionOf({ summary, description }: SocketMessages, required: readonly string[]): string {
  const needs =
    required.length === 0 ? '' : ` The URL must say ${required.map((name) => `\`${name}\``).join(' and ')}.`;
  return `${description ?? summary}${needs}`;
}

function describe(message: SocketMessage): Json {
  const { name, summary, schema, tag } = message;
  const payload = schema === undefined ? BYTES : schema;
  const example = schema === undefined ? undefined : (message.example ?? exampleOf(schema, true));
  return {
    name,
    summary,
    contentType: message.contentType ?? (schema ? 'application/json' : 'application/octet-stream'),
    payload,
    ...(example === undefined ? {} : { examples: [{ name, payload: example }] }),
    ...(tag === undefined ? {} : { 'x-first-byte': hex(tag), 'x-frame': frameOf(tag, example) }),
  };
}

const BYTES = { type: 'string', format: 'binary' };

const hex = (byte: number): string => `0x${byte.toString(16).padStart(2, '0')}`;

const frameOf = (tag: number, example: unknown): string =>
  `${tag.toString(16).padStart(2, '0')} ${
    example === undefined ? '[PCM16, little-endian]' : JSON.stringify(example)
  }`;

const operation = (
  action: 'send' | 'receive',
  channel: string,
  side: string,
  messages: readonly SocketMessage[],
): Json => ({
  action,
  channel: { $ref: `#/channels/${channel}` },
  messages: messages.map(({ name }) => ({ $ref: `#/channels/${channel}/messages/${side}_${name}` })),
});
