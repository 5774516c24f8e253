import type { ComponentHealth } from '../edge/server/index.ts';
import type { Config } from '../foundation/platform/config/index.ts';
import type { UrlGate } from '../foundation/platform/url-gate/index.ts';
import { ProviderKeys } from '../speech/provider-keys/index.ts';
import type { CoreServices } from './main.ts';
import { PURPOSES } from './sealing.ts';

/** Customers' hosts get no privilege: they are reached through the gate of all addresses that customers name. */
export const openProviderKeys = (
  { config, storage, sharedClock, sealing, log }: CoreServices,
  gate: UrlGate,
  recognizers: () => readonly string[],
): ProviderKeys =>
  new ProviderKeys({
    storage,
    clock: sharedClock,
    sealer: sealing.sealer(PURPOSES.providers),
    gate,
    allowed: config.ownProviderKeys,
    recognizers,
    onError: (err, key) =>
      log.error({ err, key }, "a customer's own provider key cannot be used; this server serves its calls"),
  });

/** The `doctor` command reports that customers may send speech elsewhere. */
export function providerKeyParts({ ownProviderKeys: kinds }: Config): ComponentHealth[] {
  if (kinds.length === 0) return [];
  return [
    {
      name: "customers' own provider keys",
      ready: true,
      required: false,
      detail: `${kinds.join(', ')}: the speech of customers with a key is sent to the hosts that they name; this server is the fallback`,
    },
  ];
}
