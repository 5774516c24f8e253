import type { Clock } from '../../foundation/platform/clock.ts';
import { ProviderFault } from './provider.ts';

/** Retries after each of these waits while the provider is unreachable or overloaded. A refusal is final. */
export async function retryUntilAccepted(
  clock: Clock,
  attempt: () => Promise<void>,
  waits: readonly number[],
): Promise<void> {
  for (const wait of waits) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ProviderFault && error.mayPass)) throw error;
    }
    await new Promise<void>((resolve) => clock.after(wait, resolve));
  }
  await attempt();
}
