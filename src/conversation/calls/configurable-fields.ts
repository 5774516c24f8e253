import { omni } from '../../media/wire/index.ts';

/** What of a `configure` its sender may set: the maker of a browser token leaves some fields to the page, and the rest is
 * as the token's agent or the account has it. `configurable` null: all of it. */
export function filterConfigurable(
  message: omni.Configuration,
  configurable: readonly string[] | null,
): { readonly message: omni.Configuration; readonly refused: readonly string[] } {
  if (configurable === null) return { message, refused: [] };
  const refused = omni.CONFIGURABLE.filter((name) => name in message && !configurable.includes(name));
  const kept = Object.entries(message).filter(([name]) => !refused.includes(name));
  return { message: Object.fromEntries(kept) as omni.Configuration, refused };
}
