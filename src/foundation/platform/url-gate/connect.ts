import { isIP, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { buildConnector } from 'undici';
import { isLoopbackAddress, isPublicAddress } from './address.ts';
import { checkUrl, GateError, type GatePolicy, type HostTrust } from './policy.ts';
import { nameResolver } from './resolve.ts';

export interface GateNetwork {
  resolve(host: string): Promise<readonly string[]>;
  dial(address: string, port: number): Socket;
}

export const realNetwork: GateNetwork = {
  resolve: nameResolver(),
  dial: (address, port) => netConnect({ host: address, port, noDelay: true }),
};

export interface ConnectOptions {
  readonly policy: GatePolicy;
  readonly network: GateNetwork;
  readonly connectTimeoutMs: number;
  readonly ca?: string;
}

const ALLOWED_BY_TRUST: Readonly<Record<HostTrust, (address: string) => boolean>> = {
  public: isPublicAddress,
  loopback: isLoopbackAddress,
  private: () => true,
};

/** Returns the addresses for a connection. One refused address refuses all of them. */
async function checkedAddresses(
  host: string,
  trust: HostTrust,
  network: GateNetwork,
): Promise<readonly string[]> {
  const passes = ALLOWED_BY_TRUST[trust];
  let addresses: readonly string[];
  try {
    addresses = isIP(host) !== 0 ? [host] : await network.resolve(host);
  } catch (cause) {
    throw new GateError('dns', 'The host name of the URL could not be resolved.', { cause });
  }
  if (addresses.length === 0) throw new GateError('dns', 'The host name of the URL has no address.');
  if (!addresses.every(passes))
    throw new GateError('address', 'The URL resolves to an address that is not public.');
  return addresses;
}

function established(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      socket.off(event, connected).off('error', failed).off('close', closed);
      finish();
    };
    const connected = () => settle(resolve);
    const failed = (error: Error) => settle(() => reject(error));
    const closed = () =>
      settle(() => reject(new Error('The connection was closed before it was established.')));
    const timer = setTimeout(() => {
      settle(() => reject(new GateError('timeout', 'The host of the URL did not answer in time.')));
      socket.on('error', () => {});
      socket.destroy();
    }, timeoutMs);
    socket.on(event, connected).on('error', failed).on('close', closed);
  });
}

async function dialFirst(
  addresses: readonly string[],
  port: number,
  options: ConnectOptions,
): Promise<Socket> {
  let last: unknown;
  for (const address of addresses) {
    const socket = options.network.dial(address, port);
    try {
      await established(socket, 'connect', options.connectTimeoutMs);
      return socket;
    } catch (error) {
      socket.on('error', () => {});
      socket.destroy();
      last = error;
    }
  }
  throw last;
}

async function secure(socket: Socket, host: string, options: ConnectOptions): Promise<Socket> {
  const secured = tlsConnect({
    socket,
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ALPNProtocols: ['http/1.1'],
    ...(options.ca ? { ca: options.ca } : {}),
  });
  try {
    await established(secured, 'secureConnect', options.connectTimeoutMs);
    return secured;
  } catch (error) {
    secured.on('error', () => {});
    secured.destroy();
    throw error;
  }
}

/**
 * The connector resolves and checks for each connection and dials exactly the checked address, so that DNS rebinding
 * has no effect. A kept-alive connection stays at its address.
 */
export function gateConnector(options: ConnectOptions): buildConnector.connector {
  const open = async (target: buildConnector.Options): Promise<Socket> => {
    const origin = `${target.protocol}//${target.hostname}:${target.port || (target.protocol === 'https:' ? 443 : 80)}`;
    const { host, port, trust } = checkUrl(origin, options.policy);
    const addresses = await checkedAddresses(host, trust, options.network);
    const socket = await dialFirst(addresses, port, options);
    return target.protocol === 'https:' ? await secure(socket, host, options) : socket;
  };
  return (target, callback) => {
    open(target).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}
