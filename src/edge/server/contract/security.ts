import type { ClientVendor, MemberRole, Requirement } from '../../../foundation/access/contract.ts';

type Json = Record<string, unknown>;

export const scopeOf = (access: Requirement | undefined): string | undefined =>
  access?.kind === 'key' || access?.kind === 'member' ? access.scope : undefined;

export const roleOf = (access: Requirement | undefined): MemberRole | undefined =>
  access?.kind === 'user' || access?.kind === 'member' ? (access.role ?? 'analyst') : undefined;

/** A null value: the vendor's clients send the key as Trunkline's own clients do. */
const VENDOR_SCHEME: Readonly<Record<ClientVendor, string | null>> = {
  deepgram: 'token',
  elevenlabs: 'xiApiKey',
  openai: null,
};

const schemeOf = (vendor: ClientVendor | undefined): Json[] => {
  const scheme = vendor ? VENDOR_SCHEME[vendor] : null;
  return scheme === null ? [] : [{ [scheme]: [] }];
};

export function securityOf(access: Requirement | undefined, vendor?: ClientVendor): Json[] {
  switch (access?.kind) {
    case 'key':
      return [{ bearer: [] }, { apiKey: [] }, ...schemeOf(vendor)];
    case 'member':
      return [{ bearer: [] }, { apiKey: [] }, { session: [] }, { cookie: [] }];
    case 'user':
      return [{ session: [] }, { cookie: [] }];
    case 'operator':
      return [{ operator: [] }];
    case 'signed':
      // A request without a credential gets 404, never 401.
      return access.key ? [{ bearer: [] }, { apiKey: [] }, {}] : [];
    default:
      return [];
  }
}

export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key: `svc_live_…` or `svc_test_…`.' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The API key in its own header.',
  },
  session: { type: 'http', scheme: 'bearer', description: 'The session token of a signed-in user.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'trunkline_session',
    description: 'The session token as a cookie; accepted only from pages of this server.',
  },
  operator: { type: 'http', scheme: 'bearer', description: 'The operator’s token.' },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The API key in the format that Deepgram’s clients send: `Token <API_KEY>`.',
  },
  xiApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'xi-api-key',
    description: 'The API key in the header that ElevenLabs’ clients send.',
  },
};

const describeKey = ({ scope, entitlement }: Extract<Requirement, { kind: 'key' }>): string =>
  [
    scope === undefined ? 'Any active API key is accepted.' : `The key needs the scope \`${scope}\`.`,
    ...(entitlement === undefined
      ? []
      : [
          `On a real carrier, the organization needs the entitlement \`${entitlement}\` and the key must be a live key; otherwise the response is 404.`,
        ]),
  ].join(' ');

export function describeCredential(access: Requirement | undefined): string {
  switch (access?.kind) {
    case 'key':
      return describeKey(access);
    case 'member':
      return `An API key needs the scope \`${access.scope}\`; a signed-in user needs the role \`${access.role ?? 'analyst'}\` or higher.`;
    case 'user':
      return `Only signed-in users with the role \`${access.role ?? 'analyst'}\` or higher can call it.`;
    case 'operator':
      return 'Only the operator’s token is accepted.';
    case 'signed':
      return access.key
        ? 'Only the key or token that created the resource can access it; for every other credential it does not exist.'
        : 'The request carries a token or a signature that authenticates the sender.';
    default:
      return 'No credential is needed.';
  }
}
