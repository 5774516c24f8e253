export type { PartSource } from './readiness.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
export * from './surface.ts';
