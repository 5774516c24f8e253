/** Builds the input of the generated clients: /openapi.json, with the frames of sockets and the events of webhooks as schemas. */

const pascal = (text) =>
  text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_all, letter) => letter.toUpperCase());

const SOCKETS = {
  '/v1/audio/transcriptions/stream': 'Hear',
  '/v1/omni': 'Omni',
  '/v1/amd/stream': 'Amd',
};

const APART = new Set(['OmniServerTranscript']);

export function clientDescription(openapi, asyncapi) {
  const schemas = { ...openapi.components.schemas, ...frames(asyncapi), ...events(openapi) };
  const { servers: _servers, webhooks: _webhooks, ...rest } = openapi;
  return { ...rest, components: { ...openapi.components, schemas } };
}

const oneOf = (names) => ({ oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) });

function frames(asyncapi) {
  const schemas = {};
  for (const channel of Object.values(asyncapi.channels)) {
    const socket = SOCKETS[channel.address];
    if (!socket) continue;
    const names = [];
    for (const [key, message] of Object.entries(channel.messages)) {
      if (message.payload.format === 'binary') continue;
      const name = socket + pascal(key);
      schemas[name] = { ...withChoices(message.payload), title: undefined, description: message.summary };
      if (!APART.has(name)) names.push(name);
    }
    for (const side of ['Client', 'Server'])
      schemas[`${socket}${side}Frame`] = oneOf(names.filter((name) => name.startsWith(socket + side)));
  }
  return schemas;
}

/**
 * Converts a union of constants to one enum, because the Python generator checks such a union by its first value
 * only.
 */
function withChoices(schema) {
  if (Array.isArray(schema)) return schema.map(withChoices);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, ...rest } = schema;
  if (anyOf?.every((one) => one.const !== undefined))
    return { ...rest, type: anyOf[0].type, enum: anyOf.map((one) => one.const) };
  return Object.fromEntries(Object.entries(schema).map(([name, one]) => [name, withChoices(one)]));
}

function events(openapi) {
  const schemas = {};
  for (const [type, { post }] of Object.entries(openapi.webhooks))
    schemas[`Webhook${pascal(type)}`] = post.requestBody.content['application/json'].schema;
  return { ...schemas, WebhookEvent: oneOf(Object.keys(schemas)) };
}
