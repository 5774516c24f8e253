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
    description: 'The same key in a header of its own.',
  },
  session: { type: 'http', scheme: 'bearer', description: 'The token of a signed-in user.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'trunkline_session',
    description: 'The same token as a cookie, from pages of this server alone.',
  },
  operator: { type: 'http', scheme: 'bearer', description: 'The token of whoever runs the server.' },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The key as Deepgram’s clients send it: `Token <API_KEY>`.',
  },
  xiApiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'xi-api-key',
    description: 'The key as ElevenLabs’ clients send it.',
  },
};

const describeKey = ({ scope, entitlement }: Extract<Requirement, { kind: 'key' }>): string =>
  [
    scope === undefined ? 'Any active API key opens it.' : `The key needs the scope \`${scope}\`.`,
    ...(entitlement === undefined
      ? []
      : [
          `On a real carrier its organization needs the entitlement \`${entitlement}\`, and the key is a live one; else it answers 404.`,
        ]),
  ].join(' ');

export function describeCredential(access: Requirement | undefined): string {
  switch (access?.kind) {
    case 'key':
      return describeKey(access);
    case 'member':
      return `A key needs the scope \`${access.scope}\`; a signed-in person needs the role \`${access.role ?? 'analyst'}\` or a higher one.`;
    case 'user':
      return `It is for people who are signed in, of the role \`${access.role ?? 'analyst'}\` or a higher one.`;
    case 'operator':
      return 'It is for the operator’s token alone.';
    case 'signed':
      return access.key
        ? 'It opens to the key or token that began what it is about, and is unknown to every other.'
        : 'The sender proves itself by a token or signature in the request.';
    default:
      return 'It needs no credential.';
  }
}
