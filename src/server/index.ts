export { createServer, type Server, type ServerOptions } from './server.ts';
export type * from './surface.ts';
