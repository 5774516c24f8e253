import { omni } from '../../media/wire/index.ts';

/**
 * Returns the fields of a `configure` that its sender may set. The issuer of a browser token leaves some fields
 * to the page, and the others come from the token's agent or the account. `configurable` null permits all.
 */
export function filterConfigurable(
  message: omni.Configuration,
  configurable: readonly string[] | null,
): { readonly message: omni.Configuration; readonly refused: readonly string[] } {
  if (configurable === null) return { message, refused: [] };
  const refused = omni.CONFIGURABLE.filter((name) => name in message && !configurable.includes(name));
  const accepted = Object.entries(message).filter(([name]) => !refused.includes(name));
  return { message: Object.fromEntries(accepted) as omni.Configuration, refused };
}
