/**
 * Wraps uWebSockets.js: nothing outside this folder imports it or sees its types. The package is an alias in
 * package.json; docs/decisions/024 lists the builds.
 */

import type * as Uws from 'uWebSockets.js';
import { createRequire } from 'node:module';

/**
 * The library reads this variable once, when it loads. It exceeds the limit of readHead, so that clients get the
 * error of readHead.
 */
const LARGEST_HEAD = 64 * 1024;
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(LARGEST_HEAD);

/** The library's default lets two processes share a port, which splits the traffic between them. */
const EXCLUSIVE_PORT = 1;

export const uws = createRequire(import.meta.url)('uWebSockets.js') as typeof Uws;

export const LIBRARY = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;

export type UwsApp = Uws.TemplatedApp;
export type UwsResponse = Uws.HttpResponse;
export type UwsRequest = Uws.HttpRequest;
export type UwsSocket<Data> = Uws.WebSocket<Data>;
export type UwsSocketContext = Uws.us_socket_context_t;
export type UwsListenSocket = Uws.us_listen_socket;

type ListenExclusive = (
  host: string,
  port: number,
  options: number,
  listening: (socket: UwsListenSocket | false) => void,
) => void;

export function listenOn(app: UwsApp, host: string, port: number): Promise<UwsListenSocket> {
  return new Promise((resolve, reject) => {
    (app.listen as unknown as ListenExclusive).call(app, host, port, EXCLUSIVE_PORT, (socket) => {
      if (socket) resolve(socket);
      else reject(new Error(`cannot listen on ${host}:${port}: the port is taken or not permitted`));
    });
  });
}
