export { KeptAnswers } from './idempotency/index.ts';
export { notOftenerThan, type PartSource } from './readiness.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
export * from './surface.ts';
