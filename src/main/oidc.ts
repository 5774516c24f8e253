import type { OidcSettings } from '../foundation/access/index.ts';
import { type Config, ConfigError } from '../foundation/platform/config/index.ts';

export function oidcSettings({ oidcIssuer, oidcClientId, oidcClientSecret }: Config): OidcSettings | null {
  if (oidcIssuer === null) return null;
  if (oidcClientId === null || oidcClientSecret === null) {
    throw new ConfigError([
      'TRUNKLINE_OIDC_ISSUER needs TRUNKLINE_OIDC_CLIENT_ID and TRUNKLINE_OIDC_CLIENT_SECRET',
    ]);
  }
  return { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret };
}
