import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { ApiError } from '../../../foundation/platform/errors.ts';

export interface AllowedMcpCallers {
  readonly own: () => string;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/**
 * Prevents DNS rebinding: a page can point its own host name at this server, and its requests then carry that host
 * and origin. An IP address is not a name, and no page can redefine `localhost`. Throws ApiError.
 */
export function checkCaller({ host, origin }: IncomingHttpHeaders, callers: AllowedMcpCallers): void {
  const own = urlOf(callers.own());
  const name = urlOf(`http://${host ?? ''}`)?.hostname ?? null;
  const hosts = new Set([own?.hostname, ...callers.hosts.map((one) => one.toLowerCase())]);
  if (name === null || !(isOfMachine(name) || isAddress(name) || hosts.has(name)))
    throw new ApiError(
      'forbidden',
      'The Host of the request is not allowed; TRUNKLINE_MCP_HOSTS lists the allowed hosts.',
      {
        param: 'host',
      },
    );
  if (origin === undefined) return;
  const from = urlOf(origin);
  const origins = new Set([own?.origin, ...callers.origins.map((one) => urlOf(one)?.origin)]);
  if (from !== null && (isOfMachine(from.hostname) || origins.has(from.origin))) return;
  throw new ApiError(
    'origin_not_allowed',
    'Pages of this Origin cannot call /mcp; TRUNKLINE_MCP_ORIGINS lists the allowed origins.',
    {
      param: 'origin',
    },
  );
}

const urlOf = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);
const isAddress = (name: string): boolean => isIP(name.replace(/^\[|\]$/g, '')) !== 0;
const isOfMachine = (name: string): boolean =>
  name === 'localhost' ||
  name.endsWith('.localhost') ||
  name === '[::1]' ||
  (isAddress(name) && name.startsWith('127.'));
