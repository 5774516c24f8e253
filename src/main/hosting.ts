import { createHostingSurface } from '../edge/surfaces/hosting/index.ts';
import { type Config, ConfigError } from '../foundation/platform/config/index.ts';
import { Installations, type Revoke } from '../products/hosting/index.ts';
import type { CoreServices } from './main.ts';

const SETTING = 'TRUNKLINE_HOSTING_PARTNERS';
const NAME = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** Throws ConfigError, which never shows the setting's text, because it contains secrets. */
export function hostingPartners({
  hostingPartners: said,
}: Pick<Config, 'hostingPartners'>): Map<string, string> {
  if (said === null) return new Map();
  let read: unknown;
  try {
    read = JSON.parse(said);
  } catch {
    throw new ConfigError([`${SETTING}: it is not JSON`]);
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new ConfigError([`${SETTING}: it is not an object of name and secret`]);
  const entries = Object.entries(read as Record<string, unknown>);
  const odd = entries.find(
    ([name, secret]) => !NAME.test(name) || typeof secret !== 'string' || secret === '',
  );
  if (odd !== undefined)
    throw new ConfigError([
      `${SETTING}: ${odd[0]}: a name must be of lower-case letters, digits and -, and its secret a string`,
    ]);
  return new Map(entries as [string, string][]);
}

export function hostingSurface({ config, storage, sharedClock, access }: CoreServices) {
  const revoke: Revoke = (orgId, keyId, by) => access.keys.revoke(orgId, keyId, { by });
  const installations = new Installations(storage, sharedClock, revoke);
  return createHostingSurface({ installations, partners: hostingPartners(config) });
}
