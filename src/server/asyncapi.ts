import { INTERFACE_VERSION } from './rest/openapi.ts';
import type { SocketMessage, SocketRoute } from './surface.ts';

type Json = Record<string, unknown>;

/** AsyncAPI 3.0 from the message schemas that the surfaces parse and build frames with. */
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
      description: 'Frames of the WebSocket routes. REST routes are described by /openapi.json.',
    },
    defaultContentType: 'application/json',
    servers: {
      main: { host: url.host, protocol: url.protocol === 'https:' ? 'wss' : 'ws', security: SECURITY },
    },
    channels,
    operations,
  };
}

const SECURITY = [
  {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key; also as subprotocols `svc.v1, svc-key.<key>`, header x-api-key, or ?api_key=.',
  },
];

const channelName = (path: string): string => path.replace(/^\//, '').replace(/[^A-Za-z0-9]+/g, '_');

function describeChannel(route: SocketRoute, messages: NonNullable<SocketRoute['messages']>): Json {
  const described: Json = {};
  for (const message of messages.client) described[`client_${message.name}`] = describe(message);
  for (const message of messages.server) described[`server_${message.name}`] = describe(message);
  return {
    address: route.path,
    summary: messages.summary,
    ...(messages.query ? { bindings: { ws: { bindingVersion: '0.1.0', query: messages.query } } } : {}),
    messages: described,
    'x-max-frame-bytes': route.maxFrameBytes,
    ...(route.access.kind === 'key' && route.access.scope ? { 'x-required-scope': route.access.scope } : {}),
  };
}

function describe(message: SocketMessage): Json {
  return {
    name: message.name,
    summary: message.summary,
    contentType: message.contentType ?? (message.schema ? 'application/json' : 'application/octet-stream'),
    ...(message.schema ? { payload: message.schema } : {}),
  };
}

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
