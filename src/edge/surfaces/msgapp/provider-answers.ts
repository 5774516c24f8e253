import { ApiError } from '../../../foundation/platform/errors.ts';
import { ProviderFault } from '../../../telephony/msgapp/index.ts';

/** Translates a rejection by the provider into an API error with the provider's reason. */
export async function providerAnswers<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ProviderFault)
      throw new ApiError('provider_refused', error.message, { cause: error });
    throw error;
  }
}
