import type { Config } from '../../foundation/platform/config/index.ts';
import { UrlGate } from '../../foundation/platform/url-gate/index.ts';
import type { Network } from './acquire.ts';
import { hubOf } from './hub.ts';

/** HF_ENDPOINT may name a private host, because the operator's setting is trusted like TRUNKLINE_PRIVATE_HOSTS. */
export function openModelNetwork(
  { allowLoopbackUrls, privateHosts }: Pick<Config, 'allowLoopbackUrls' | 'privateHosts'>,
  environment: NodeJS.ProcessEnv,
): Network {
  const hub = hubOf(environment);
  const hosts = environment.HF_ENDPOINT ? [new URL(hub.endpoint).host] : [];
  const gate = new UrlGate({
    allowLoopback: allowLoopbackUrls,
    privateHosts: new Set([...privateHosts, ...hosts]),
  });
  return { gate, hub };
}
