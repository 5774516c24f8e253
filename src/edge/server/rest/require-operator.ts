import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { AccessControl } from '../../../foundation/access/contract.ts';
import { credentialsOfRequest } from './access-hook.ts';

/** A proxy on this machine sets one of these; a loopback request without them comes from this machine. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

function isFromThisMachine(request: FastifyRequest): boolean {
  if (FORWARDED.some((name) => request.headers[name] !== undefined)) return false;
  return ipaddr.isValid(request.ip) && ipaddr.process(request.ip).range() === 'loopback';
}

export const requireOperator =
  (access: AccessControl) =>
  async (request: FastifyRequest): Promise<void> => {
    if (!isFromThisMachine(request))
      await access.authorize(credentialsOfRequest(request), { kind: 'operator' });
  };
