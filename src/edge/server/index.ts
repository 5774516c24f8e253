export { HaproxyAgentCheck, type HaproxyAgentCheckOptions } from './haproxy-agent-check.ts';
export { IdempotencyStore } from './idempotency/index.ts';
export { type HealthSource, throttleHealthSource } from './readiness.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
export * from './surface.ts';
