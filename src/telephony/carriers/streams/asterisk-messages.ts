/** Asterisk's `chan_websocket` sends text messages in two formats: JSON, and the older plain lines. */

export type AsteriskEvent =
  | {
      readonly kind: 'start';
      readonly json: boolean;
      readonly channel: string;
      readonly format: string;
    }
  | { readonly kind: 'key'; readonly digit: string }
  | { readonly kind: 'mark'; readonly id: string }
  | { readonly kind: 'other' };

type Fields = Readonly<Record<string, unknown>>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readAsteriskEvent(data: Uint8Array): AsteriskEvent | null {
  try {
    const text = utf8.decode(data).trim();
    const json = text.startsWith('{');
    const fields = json ? (JSON.parse(text) as Fields) : plainFields(text);
    return typeof fields.event === 'string' && /^[A-Z_]+$/.test(fields.event) ? eventOf(fields, json) : null;
  } catch {
    return null;
  }
}

/** `MEDIA_START connection_id:… channel:… format:ulaw`; `MEDIA_MARK_PROCESSED greeting`. */
function plainFields(text: string): Fields {
  const [event = '', ...words] = text.split(/\s+/);
  const named = words.map((word) => /^([a-z_]+):(.*)$/.exec(word));
  const pairs = named.flatMap((found) => (found === null ? [] : [[found[1] as string, found[2] as string]]));
  return { event, correlation_id: words[0] ?? '', ...Object.fromEntries(pairs) };
}

function eventOf(fields: Fields, json: boolean): AsteriskEvent {
  const text = (name: string): string => String(fields[name] ?? '');
  switch (fields.event) {
    case 'MEDIA_START':
      return {
        kind: 'start',
        json,
        channel: text('channel_id') || text('channel'),
        format: text('format'),
      };
    case 'DTMF_END':
      return { kind: 'key', digit: text('digit') };
    case 'MEDIA_MARK_PROCESSED':
      return { kind: 'mark', id: text('correlation_id') };
    default:
      return { kind: 'other' };
  }
}
