import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';

const CONSOLE = '/console';

export const isBrowser = ({ headers }: FastifyRequest): boolean =>
  headers.accept?.includes('text/html') ?? false;

export async function redirectErrorsToConsole(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !isBrowser(request)) throw error;
    return reply.header('cache-control', 'no-store').redirect(`${CONSOLE}?refused=${error.code}`);
  }
}

export const consolePageUrl = (...parts: readonly string[]): string =>
  `${CONSOLE}#/${parts.map(encodeURIComponent).join('/')}`;
