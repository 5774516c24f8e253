import type { IncomingMessage, ServerResponse } from 'node:http';
import { newId } from '../../../foundation/platform/ids.ts';
import { IncomingRequest } from './incoming-request.ts';
import { OutgoingResponse } from './outgoing-response.ts';
import { headFaultError, readHead } from './request-head.ts';
import { sendRejection } from './send-rejection.ts';
import type { UwsApp, UwsRequest, UwsResponse } from './uws.ts';

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void;

export interface HttpListener {
  readonly active: () => number;
}

/** Passes every request that no socket route handles to `handler`, as a pair of node-like streams. */
export function serveHttp(app: UwsApp, handler: HttpHandler, baseUrl: () => string): HttpListener {
  let active = 0;
  app.any('/*', (response, request) => {
    active++;
    serveOne(response, request, handler, baseUrl, () => {
      active--;
    });
  });
  return { active: () => active };
}

function serveOne(
  response: UwsResponse,
  request: UwsRequest,
  handler: HttpHandler,
  baseUrl: () => string,
  done: () => void,
): void {
  const head = readHead(request, response);
  if (head.fault) {
    done();
    sendRejection(response, headFaultError(head.fault), newId('req'), baseUrl());
    return;
  }
  const incoming = new IncomingRequest(head, response);
  const outgoing = new OutgoingResponse(response, incoming);
  outgoing.once('close', done);
  response.onAborted(() => {
    incoming.abort();
    outgoing.abort();
  });
  response.onData((chunk, isLast) => incoming.receive(chunk, isLast));
  handler(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse);
}
