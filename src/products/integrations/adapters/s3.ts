import Type from 'typebox';
import { sendRequest } from '../../../foundation/webhooks/index.ts';
import { adapter, SettingsError } from './adapter.ts';
import { signS3 } from './s3-signature.ts';

const Settings = Type.Object(
  {
    bucket: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' }),
    region: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,40}$', default: 'us-east-1' })),
    prefix: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_./-]{0,200}$' })),
    access_key_id: Type.String({ pattern: '^[!-~]{1,200}$' }),
    secret_access_key: Type.String({ pattern: '^[!-~]{1,200}$' }),
  },
  { additionalProperties: false },
);

const REGION = 'us-east-1';

/** Keys sort by day; the event's id makes a second attempt write the same object. */
const keyOf = (prefix: string, { id, type, created_at }: Envelope): string =>
  `${prefix}${type}/${new Date(created_at).toISOString().slice(0, 10)}/${id}.json`;

interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly created_at: number;
}

/** Writes one object an event into a bucket of S3 or a compatible store, whose address is `url`. */
export const s3 = adapter({
  settings: Settings,
  secrets: ['secret_access_key'],
  address: (url, { bucket, region = REGION, prefix = '' }, { gate }) => {
    if (/(^|\/)\.{1,2}(\/|$)|\/\/|^\//.test(prefix))
      throw new SettingsError(
        'settings.prefix',
        'A prefix must not have a leading slash, an empty segment or a segment of dots.',
      );
    const store = new URL(url ?? `https://s3.${region}.amazonaws.com/`);
    if (store.search !== '' || store.hash !== '')
      throw new SettingsError('url', 'The url of a bucket must not have a query.');
    const address = `${store.href.replace(/\/+$/, '')}/${bucket}/`;
    gate.check(address);
    return address;
  },
  deliver: async (parcel, { url, settings }, { gate }, signal) => {
    const { prefix = '', region = REGION, access_key_id, secret_access_key } = settings;
    const target = new URL(`${url}${keyOf(prefix, JSON.parse(parcel.body) as Envelope)}`);
    const headers = { 'content-type': 'application/json' };
    const request = { url: target, method: 'PUT' as const, body: parcel.body, headers };
    const keys = { region, accessKeyId: access_key_id, secretAccessKey: secret_access_key };
    const signed = signS3(request, keys, parcel.now);
    const outgoing = { url: target.href, method: request.method, body: parcel.body };
    return await sendRequest(gate, { ...outgoing, headers: { ...headers, ...signed } }, signal);
  },
});
