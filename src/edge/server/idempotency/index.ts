export {
  bodyHash,
  IdempotencyStore,
  type IdempotentRequest,
  type StoreResponse,
} from './idempotency-store.ts';
export { registerIdempotency } from './register.ts';
