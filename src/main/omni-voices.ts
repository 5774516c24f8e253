import { ApiError } from '../platform/errors.ts';
import type { StockVoices } from '../platform/voices/index.ts';
import type { OmniVoice, VoiceDirectory } from '../surfaces/omni/index.ts';
import { type SpeakVoice, stockVoice } from '../surfaces/speak/index.ts';

/** A voice by any of its names; without a name, the account's default. Throws ApiError where there is none. */
export type ResolveVoice = (orgId: string, name: string | undefined) => Promise<SpeakVoice>;

/** Omni speaks with the voices of Speak: the stock ones, and the organization's clones and designs. */
export function omniVoices(stock: StockVoices, resolve: ResolveVoice): VoiceDirectory {
  return {
    find: async (orgId, name) => {
      try {
        return omniVoice(await resolve(orgId, name));
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) return null;
        throw error;
      }
    },
    defaultFor: async (orgId, language) => {
      const own = await resolve(orgId, undefined);
      if (own.language === language) return omniVoice(own);
      return omniVoice(stockVoice(stock.defaultFor(language) ?? stock.default));
    },
  };
}

const omniVoice = ({ id, language, tier, engine }: SpeakVoice): OmniVoice => ({ id, language, tier, engine });
