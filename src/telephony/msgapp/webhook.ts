/** Parses the messaging provider's webhooks into one shape, whatever casing and placement they have. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type ProviderEvent = { readonly phoneNumberId: string } & (
  | {
      readonly kind: 'connect';
      readonly callId: string;
      readonly from: string;
      readonly to: string;
      readonly direction: 'inbound' | 'outbound';
      readonly sdpType: string;
      readonly sdp: string;
    }
  | {
      readonly kind: 'terminate';
      readonly callId: string;
      readonly from: string;
      readonly to: string;
      readonly direction: 'inbound' | 'outbound';
      readonly completed: boolean;
      readonly error: string | null;
    }
  | { readonly kind: 'status'; readonly callId: string; readonly status: 'ringing' | 'accepted' | 'rejected' }
  | {
      readonly kind: 'permission';
      readonly from: string;
      readonly accepted: boolean;
      readonly permanent: boolean;
      /** Unix milliseconds; null: the provider did not say. */
      readonly until: number | null;
      readonly at: number | null;
    }
);

type Json = Record<string, unknown>;

const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(record) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const upper = (value: unknown): string => text(value).toUpperCase();

/** The header has the form `sha256=…`, an HMAC over the bytes as they arrived. */
export function isSigned(body: Uint8Array, header: string | undefined, appSecret: string): boolean {
  const match = /^sha256=([0-9a-fA-F]{64})$/.exec(header ?? '');
  if (match === null) return false;
  const wanted = createHmac('sha256', appSecret).update(body).digest();
  return timingSafeEqual(wanted, Buffer.from(match[1] as string, 'hex'));
}

export const numbersOf = (body: unknown): string[] => [
  ...new Set(changesOf(body).map(({ phoneNumberId }) => phoneNumberId)),
];

export const eventsOf = (body: unknown): ProviderEvent[] =>
  changesOf(body).flatMap(({ phoneNumberId, field, value }) =>
    field === 'calls' ? callEvents(phoneNumberId, value) : replies(phoneNumberId, value),
  );

function changesOf(body: unknown) {
  return list(record(body).entry)
    .flatMap((entry) => list(entry.changes))
    .map((change) => {
      const value = record(change.value);
      const phoneNumberId = text(record(value.metadata).phone_number_id);
      return { phoneNumberId, field: text(change.field), value };
    })
    .filter(({ phoneNumberId }) => phoneNumberId !== '');
}

function callEvents(phoneNumberId: string, value: Json): ProviderEvent[] {
  const events: ProviderEvent[] = [];
  for (const call of list(value.calls)) {
    const event = text(call.event).toLowerCase();
    const callId = text(call.id);
    if (callId === '') continue;
    const direction = upper(call.direction).startsWith('BUSINESS') ? 'outbound' : 'inbound';
    const about = { phoneNumberId, callId, from: text(call.from), to: text(call.to), direction } as const;
    const session = record(call.session);
    if (event === 'connect')
      events.push({
        ...about,
        kind: 'connect',
        sdpType: text(session.sdp_type).toLowerCase(),
        sdp: text(session.sdp),
      });
    if (event === 'terminate')
      events.push({
        ...about,
        kind: 'terminate',
        completed: upper(call.status) === 'COMPLETED',
        error: errorOf(call.errors) ?? errorOf(value.errors),
      });
  }
  for (const status of list(value.statuses)) {
    const said = upper(status.status);
    if (text(status.id) === '' || !(said in STATUSES)) continue;
    events.push({ phoneNumberId, kind: 'status', callId: text(status.id), status: STATUSES[said]! });
  }
  return events;
}

const STATUSES: Readonly<Record<string, 'ringing' | 'accepted' | 'rejected'>> = {
  RINGING: 'ringing',
  ACCEPTED: 'accepted',
  REJECTED: 'rejected',
};

/** The provider sends a list or a single error, its fields capitalized or not. */
function errorOf(errors: unknown): string | null {
  const [first] = Array.isArray(errors) ? errors.map(record) : [record(errors)];
  const field = (name: string) => first?.[name] ?? first?.[name[0]!.toUpperCase() + name.slice(1)];
  const said = [field('code'), field('title') ?? field('message')].filter((one) => one !== undefined);
  return said.length === 0 ? null : said.map(String).join(': ').slice(0, 500);
}

/** The provider sends seconds, as a number or as text. */
const momentOf = (seconds: unknown): number | null => (Number(seconds) > 0 ? Number(seconds) * 1_000 : null);

function replies(phoneNumberId: string, value: Json): ProviderEvent[] {
  return list(value.messages).flatMap((message) => {
    const reply = record(record(message.interactive).call_permission_reply);
    const response = text(reply.response).toLowerCase();
    if (response === '') return [];
    return [
      {
        phoneNumberId,
        kind: 'permission' as const,
        from: text(message.from),
        accepted: response === 'accept',
        permanent: reply.is_permanent === true,
        until: momentOf(reply.expiration_timestamp),
        at: momentOf(message.timestamp),
      },
    ];
  });
}
