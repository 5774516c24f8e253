import type { Config } from '../foundation/platform/config/index.ts';

/** The machine reaches its own server by its port, whatever public address a proxy has. */
export const localAddress = (address: string, { host, port }: Pick<Config, 'host' | 'port'>): string => {
  if (port === 0) return address;
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host}:${port}`;
};
