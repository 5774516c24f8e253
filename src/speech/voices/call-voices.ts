import type { TenantScope } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { EngineVoice } from '../../media/engine/index.ts';
import { type ServedVoice, stockVoice } from './catalogue.ts';
import type { StockVoices } from './stock.ts';

export interface CallVoice {
  readonly id: string;
  readonly language: string;
  readonly tier: 'standard' | 'natural';
  readonly engine: EngineVoice;
}

export interface CallVoices {
  /** Returns null for a voice that does not exist, and for one that is not offered in calls. */
  find(scope: TenantScope, name: string): Promise<CallVoice | null>;
  /** The operator may choose the default by the customer's plan. */
  defaultFor(scope: TenantScope, language: string, plan?: string): Promise<CallVoice>;
}

/** Resolves any name of a voice, or the account's default without a name. Throws ApiError for an unknown name. */
export type ResolveVoice = (scope: TenantScope, name: string | undefined) => Promise<ServedVoice>;

export function callVoices(
  stock: StockVoices,
  resolve: ResolveVoice,
  marked: (scope: TenantScope, engine: EngineVoice) => Promise<EngineVoice> = async (_scope, engine) =>
    engine,
): CallVoices {
  return {
    find: async (scope, name) => {
      try {
        const voice = await resolve(scope, name);
        return isOfCalls(voice) ? omniVoice(voice) : null;
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) return null;
        throw error;
      }
    },
    defaultFor: async (scope, language, plan) => {
      const own = await resolve(scope, undefined);
      if (own.language === language && isOfCalls(own)) return omniVoice(own);
      // A language without voices for calls is spoken by telephone too: an announcement is made before it is played.
      const found = stock.defaultFor(language, plan, 'omni') ?? stock.defaultFor(language, plan);
      const voice = omniVoice(stockVoice(found ?? stock.default));
      return { ...voice, engine: await marked(scope, voice.engine) };
    },
  };
}

export const noVoiceOfCalls = (name: string): string =>
  `There is no voice ${name} for calls. GET /v1/voices lists those that have omni in available_on.`;

/** Returns why a voice may not replace an agent's own under load, or null. */
export function refusedUnderLoad(
  voice: CallVoice | null,
  name: string,
  language: string,
): { readonly code: 'voice_not_found' | 'invalid_request'; readonly message: string } | null {
  const refused = (message: string) => ({ code: 'invalid_request', message }) as const;
  if (voice === null) return { code: 'voice_not_found', message: noVoiceOfCalls(name) };
  if (voice.tier !== 'standard')
    return refused(`The voice ${voice.id} is a Natural voice; voice_under_load must be a Standard voice.`);
  if (voice.language === language) return null;
  return refused(`The voice ${voice.id} speaks ${voice.language}; the call is in ${language}.`);
}

const isOfCalls = ({ availableOn }: ServedVoice): boolean => availableOn.includes('omni');

const omniVoice = ({ id, language, tier, engine }: ServedVoice): CallVoice => ({
  id,
  language,
  tier,
  engine,
});
