import { Resolver } from 'node:dns/promises';
import { isLoopbackHost } from './policy.ts';

export interface ResolverOptions {
  readonly timeoutMs?: number;
  readonly servers?: readonly string[];
}

const TIMEOUT_MS = 8_000;
const FIRST_TRY_MS = 2_000;
const TRIES = 3;

/**
 * Queries name servers directly. The system resolver blocks one of libuv's few threads and cannot be cancelled, so
 * one slow name would delay all others.
 */
export function nameResolver({ timeoutMs = TIMEOUT_MS, servers }: ResolverOptions = {}) {
  return async (host: string): Promise<readonly string[]> => {
    if (isLoopbackHost(host)) return ['127.0.0.1', '::1'];
    const resolver = new Resolver({ timeout: Math.min(FIRST_TRY_MS, timeoutMs), tries: TRIES });
    if (servers) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), timeoutMs);
    try {
      const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
      const failed = found.find((one) => one.status === 'rejected');
      if (addresses.length === 0 && failed) throw failed.reason;
      return addresses;
    } finally {
      clearTimeout(timer);
    }
  };
}
