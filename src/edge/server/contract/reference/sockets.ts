import { escapeHtml } from '../../rest/pages.ts';
import { entry, fields, idOf, inlineCode, type Json, type Media, row, shown, table } from './html.ts';

interface Message {
  readonly summary: string;
  readonly contentType: string;
  readonly payload?: Json;
  readonly examples?: readonly { readonly payload: unknown }[];
  readonly 'x-frame'?: string;
}

export function socketSections(asyncapi: Json): string {
  const channels = Object.values(asyncapi.channels as Record<string, Json>).map(socketSection);
  return `<section><h2 id="sockets">Sockets</h2><p>The key goes with the upgrade: <code>Authorization: Bearer</code>, <code>x-api-key</code>, or the subprotocols <code>svc.v1</code>, <code>svc-key.KEY</code>.</p>${channels.join('')}</section>`;
}

function socketSection(channel: Json): string {
  const query = (channel.bindings as { ws: { query: Json } } | undefined)?.ws.query;
  const messages = Object.entries(channel.messages as Record<string, Message>);
  const sent = (side: string): string =>
    messages
      .filter(([name]) => name.startsWith(`${side}_`))
      .map(([name, message]) =>
        messageSection(String(channel.address), name, name.slice(side.length + 1), message),
      )
      .join('');
  const closes = Object.entries(channel['x-close-codes'] as Record<string, string>);
  return entry(
    idOf(`socket ${channel.address}`),
    `<span class="m">ws</span> <code>${escapeHtml(String(channel.address))}</code> ${escapeHtml(String(channel.title))}`,
    `<p>${inlineCode(String(channel.description))}</p>${query ? `<h4>Query of the URL</h4>${fields(query)}` : ''}
<h4>You send</h4>${sent('client')}<h4>The server sends</h4>${sent('server')}
<h4>Close codes</h4>${table(closes.map(([code, meaning]) => row(code, escapeHtml(meaning))))}`,
  );
}

function messageSection(address: string, id: string, name: string, message: Message): string {
  const frame = message['x-frame'];
  const example = message.examples?.[0]?.payload;
  return entry(
    idOf(`frame ${address} ${id}`),
    `<code>${escapeHtml(name)}</code> ${escapeHtml(message.summary)}`,
    `${fields(message.payload ?? {})}${frame === undefined ? '' : `<p>On the wire: first byte, then the rest</p>${shown(frame)}`}${
      example === undefined || frame !== undefined ? '' : shown(example)
    }`,
  );
}

export function webhookSections(openapi: Json): string {
  const events = Object.entries((openapi.webhooks ?? {}) as Record<string, { post: Json }>);
  const sections = events.map(([type, { post }]) => webhookSection(type, post));
  return `<section><h2 id="events">Events of webhooks</h2><p>Signed by <code>X-Svc-Signature</code>: <code>t=&lt;unix seconds&gt;,v1=&lt;hex&gt;</code>, HMAC-SHA256 over <code>&lt;t&gt;.&lt;raw body&gt;</code> with your signing secret.</p>${sections.join('')}</section>`;
}

function webhookSection(type: string, post: Json): string {
  const { schema = {}, example } = (post.requestBody as { content: Record<string, Media> }).content[
    'application/json'
  ]!;
  return entry(
    idOf(`event ${type}`),
    `<span class="m">event</span> <code>${escapeHtml(type)}</code> ${escapeHtml(String(post.summary))}`,
    `${fields(schema)}${shown(example)}`,
  );
}
