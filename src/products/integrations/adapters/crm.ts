import Type from 'typebox';
import { sendRequest } from '../../../foundation/webhooks/index.ts';
import { fill, textOf, valueAt } from '../paths.ts';
import { adapter, demandUrl, SettingsError } from './adapter.ts';

const Path = Type.String({
  pattern: '^[A-Za-z0-9_.]{1,200}$',
  description: 'A path in the event, such as `data.outcome`.',
});

const Settings = Type.Object(
  {
    method: Type.Optional(Type.Enum(['POST', 'PUT', 'PATCH'])),
    key: Type.Optional({
      ...Path,
      description:
        'The path in the event whose value identifies the CRM record. Events without it are skipped.',
    }),
    mapping: Type.Record(Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$' }), Path, {
      maxProperties: 100,
      description: 'CRM fields mapped to their paths in the event.',
    }),
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }), Type.String({ maxLength: 4096 }), {
        maxProperties: 20,
      }),
    ),
  },
  { additionalProperties: false },
);

/** Servers refuse longer request lines, and a part of an address may identify another record. */
const LONGEST_URL = 64_000;

const RESERVED = /^(host|content-length|content-type|transfer-encoding|connection)$/i;

/** Fields that the event lacks stay as the CRM has them. */
function fieldsOf(mapping: Readonly<Record<string, string>>, event: unknown): Record<string, unknown> {
  const fields = Object.entries(mapping).map(([name, path]) => [name, valueAt(event, path)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** Sends a record as one JSON object with mapped fields to any CRM; the URL or the object identifies the record. */
export const crm = adapter({
  settings: Settings,
  secrets: ['headers'],
  address: (url, { headers = {} }, outside) => {
    const odd = Object.keys(headers).find((name) => RESERVED.test(name));
    if (odd !== undefined)
      throw new SettingsError('settings.headers', `${odd} is set by the server and cannot be changed.`);
    // Placeholders are allowed in the path and query only, because the host is the customer's choice.
    if (url !== null && /^[a-z]+:\/\/[^/]*\{\{/i.test(url))
      throw new SettingsError('url', 'The host of the url must not contain a field of an event.');
    demandUrl(url === null ? null : fill(url, {}, encodeURIComponent, LONGEST_URL), outside);
    return url as string;
  },
  deliver: async (parcel, { url, settings }, { gate }, signal) => {
    const { method = 'POST', key, mapping, headers = {} } = settings;
    const event: unknown = JSON.parse(parcel.body);
    if (key !== undefined && textOf(valueAt(event, key)) === '')
      return {
        status: null,
        error: `The event has no value at ${key}, so it does not identify a record.`,
        final: true,
      };
    const body = JSON.stringify(fieldsOf(mapping, event));
    const own = { ...headers, 'content-type': 'application/json', 'idempotency-key': parcel.eventId };
    const address = fill(url, event, encodeURIComponent, LONGEST_URL + 1);
    if (address.length > LONGEST_URL)
      return {
        status: null,
        error: `The url has more than ${LONGEST_URL} characters with the fields of the event.`,
        final: true,
      };
    return await sendRequest(gate, { url: address, method, headers: own, body }, signal);
  },
});
